import { type OpenVault, openVault, type SecretChange, type Secrets } from '@baton/engine';
import type { HostSettings } from '../settings.ts';
import type { StoredKeys } from '../storage/open-storage.ts';
import { withConfiguredKeys } from './configured-keys.ts';
import { loadSealingKey } from './sealing-key.ts';
import { readSecretsFile } from './secrets-file.ts';

/** The data with which both threads open the same vault. It is sent between the threads and never stored. */
export interface VaultContents {
  readonly secrets: Secrets;
  readonly sealingKey: Uint8Array;
  /** The changes since the start of the host. */
  readonly changes: readonly SecretChange[];
}

/** The vault of the main thread. */
interface HostVault {
  readonly vault: OpenVault;
  /** The contents at the start. */
  readonly contents: VaultContents;
  /** The contents at this moment. */
  present(): VaultContents;
}

/** `more` adds secrets to those of the operator. */
export async function openHostVault(
  keys: StoredKeys,
  settings: Pick<HostSettings, 'secretsFile' | 'sealingKey' | 'models' | 'tools'>,
  more: (secrets: Secrets) => Secrets = (secrets) => secrets,
): Promise<HostVault> {
  const { secretsFile, sealingKey } = settings;
  const given = secretsFile === undefined ? new Map() : readSecretsFile(secretsFile);
  const secrets = more(withConfiguredKeys(given, settings));
  // Copied, because a buffer may share its memory with others, and all of it would be sent to the thread.
  const key = new Uint8Array(await loadSealingKey(keys, sealingKey));
  const contents = { secrets, sealingKey: key, changes: [] };
  const vault = vaultOf(contents);
  return { vault, contents, present: () => ({ ...contents, changes: vault.changes() }) };
}

export function vaultOf({ secrets, sealingKey, changes }: VaultContents): OpenVault {
  const vault = openVault(secrets, sealingKey);
  changes.forEach(vault.change);
  return vault;
}
