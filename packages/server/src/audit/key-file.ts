import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSigningKey, type PublicKey, publicKey, type SigningKey, signingKey } from '@baton/engine';

/** The key that signs the audit trail. It is in the data folder, or in a file that the operator names. */

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'audit.key');
}

/** A file that the operator names must exist. A key in the data folder is made when it is missing. */
export function loadAuditKey(dataFolder: string, keyFile: string | undefined): SigningKey {
  if (keyFile !== undefined) return signingKey(contentOf(keyFile), keyFile);
  const file = fileIn(dataFolder);
  if (!existsSync(file)) writeFileSync(file, newSigningKey(), { mode: 0o600, flag: 'wx' });
  return signingKey(readFileSync(file, 'utf8'), file);
}

/** For callers that only check signatures. The public half of the key is enough, and no key is made. */
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
