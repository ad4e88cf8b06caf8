import { readFileSync } from 'node:fs';
import { newSigningKey, type PublicKey, publicKey, type SigningKey, signingKey } from '@baton/engine';
import type { StoredKeys } from '../storage/open-storage.ts';

/** The key that signs the audit trail. It is kept with the data, or in a file that the operator names. */

/** A file that the operator names must exist. A key that is kept with the data is made when it is missing. */
export async function loadAuditKey(keys: StoredKeys, keyFile: string | undefined): Promise<SigningKey> {
  if (keyFile !== undefined) return signingKey(contentOf(keyFile), keyFile);
  const { text, where } = await keys.keepKey('audit', newSigningKey);
  return signingKey(text, where);
}

/** For callers that only check signatures. The public half of the key is enough, and no key is made. */
export async function readAuditKey(
  keys: StoredKeys,
  keyFile: string | undefined,
): Promise<PublicKey | undefined> {
  if (keyFile !== undefined) return publicKey(contentOf(keyFile), keyFile);
  const kept = await keys.readKey('audit');
  return kept && publicKey(kept.text, kept.where);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the audit key ${file} cannot be read`, { cause });
  }
}
