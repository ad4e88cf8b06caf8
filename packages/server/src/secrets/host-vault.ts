import { type OpenVault, openVault, type SecretChange, type Secrets } from '@baton/engine';
import type { HostSettings } from '../settings.ts';
import type { StoredKeys } from '../storage/open-storage.ts';
import { loadSealingKey } from './sealing-key.ts';
import { readSecretsFile } from './secrets-file.ts';

/** The data with which both threads open the same vault. It is sent between the threads and never stored. */
export interface VaultContents {
  readonly secrets: Secrets;
  readonly sealingKey: Uint8Array;
  /** The changes since the start of the host. */
  readonly changes: readonly SecretChange[];
}

/** `more` adds secrets to those of the operator. */
export async function vaultContents(
  keys: StoredKeys,
  { secretsFile, sealingKey }: Pick<HostSettings, 'secretsFile' | 'sealingKey'>,
  more: (secrets: Secrets) => Secrets = (secrets) => secrets,
): Promise<VaultContents> {
  const secrets = more(secretsFile === undefined ? new Map() : readSecretsFile(secretsFile));
  // Copied, because a buffer may share its memory with others, and all of it would be sent to the thread.
  return { secrets, sealingKey: new Uint8Array(await loadSealingKey(keys, sealingKey)), changes: [] };
}

export function vaultOf({ secrets, sealingKey, changes }: VaultContents): OpenVault {
  const vault = openVault(secrets, sealingKey);
  changes.forEach(vault.change);
  return vault;
}
