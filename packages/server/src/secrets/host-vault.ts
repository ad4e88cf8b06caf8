import { EVERY_TENANT, type OpenVault, openVault, type Secrets } from '@baton/engine';
import type { HostSettings } from '../settings.ts';
import { loadSealingKey } from './sealing-key.ts';
import { readSecretsFile } from './secrets-file.ts';

/** What the two threads need to open the same vault. Passed between them, and never written anywhere. */
export interface VaultContents {
  readonly secrets: Secrets;
  readonly sealingKey: Uint8Array;
}

/** What suites look for, where it must not be. */
export const CANARY_ID = 'conformance-test-secret';
export const CANARY = 'baton-canary-5d1e0c7b9a3f4826';

export function vaultContents(
  settings: Pick<HostSettings, 'dataFolder' | 'secretsFile' | 'sealingKey' | 'testSeams'>,
): VaultContents {
  const { dataFolder, secretsFile, sealingKey, testSeams } = settings;
  const secrets = new Map(secretsFile === undefined ? [] : readSecretsFile(secretsFile));
  if (testSeams) {
    secrets.set(EVERY_TENANT, new Map([...(secrets.get(EVERY_TENANT) ?? []), [CANARY_ID, CANARY]]));
  }
  // A copy of its own: a buffer may share its memory, which would travel with it.
  return { secrets, sealingKey: new Uint8Array(loadSealingKey(dataFolder, sealingKey)) };
}

export function vaultOf({ secrets, sealingKey }: VaultContents): OpenVault {
  return openVault(secrets, sealingKey);
}
