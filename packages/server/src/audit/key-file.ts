import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, type PublicKey, publicKey, type SigningKey, signingKey } from '@baton/engine';

/** The key that signs the audit trail. Kept with the data, or wherever the operator keeps keys. */

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'audit.key');
}

/** A key of the operator's must be there; the data folder's is made when there is none. */
export function loadAuditKey(dataFolder: string, keyFile: string | undefined): SigningKey {
  if (keyFile !== undefined) return signingKey(contentOf(keyFile), keyFile);
  const file = fileIn(dataFolder);
  if (!existsSync(file)) writeFileSync(file, newSigningKey(), { mode: 0o600, flag: 'wx' });
  return signingKey(readFileSync(file, 'utf8'), file);
}

/** For those who only check signatures: the public half is enough, and nothing is made. */
export function readAuditKey(dataFolder: string, keyFile: string | undefined): PublicKey | undefined {
  if (keyFile !== undefined) return publicKey(contentOf(keyFile), keyFile);
  const file = fileIn(dataFolder);
  return existsSync(file) ? publicKey(readFileSync(file, 'utf8'), file) : undefined;
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the audit key ${file} cannot be read`, { cause });
  }
}
