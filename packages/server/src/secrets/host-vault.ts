import { EVERY_TENANT, type OpenVault, openVault, type Secrets } from '@baton/engine';
import type { HostSettings } from '../settings.ts';
import { loadSealingKey } from './sealing-key.ts';
import { readSecretsFile } from './secrets-file.ts';

/** The data with which both threads open the same vault. It is sent between the threads and never stored. */
export interface VaultContents {
  readonly secrets: Secrets;
  readonly sealingKey: Uint8Array;
}

/** A secret for conformance suites, which check that it never appears in events or answers. */
const CANARY_ID = 'conformance-test-secret';
const CANARY = 'baton-canary-5d1e0c7b9a3f4826';

export function vaultContents(
  settings: Pick<HostSettings, 'dataFolder' | 'secretsFile' | 'sealingKey' | 'testSeams'>,
): VaultContents {
  const { dataFolder, secretsFile, sealingKey, testSeams } = settings;
  const secrets = new Map(secretsFile === undefined ? [] : readSecretsFile(secretsFile));
  if (testSeams) {
    secrets.set(EVERY_TENANT, new Map([...(secrets.get(EVERY_TENANT) ?? []), [CANARY_ID, CANARY]]));
  }
  // Copied, because a buffer may share its memory with others, and all of it would be sent to the thread.
  return { secrets, sealingKey: new Uint8Array(loadSealingKey(dataFolder, sealingKey)) };
}

export function vaultOf({ secrets, sealingKey }: VaultContents): OpenVault {
  return openVault(secrets, sealingKey);
}
