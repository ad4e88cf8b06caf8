import type { SecretPlace, SecretRecord } from '@baton/engine/ports';
import type { WrappingKeys } from './wrapping-keys.ts';

/**
 * Encrypts secrets as JWE: each value with a key of its own, and that key with the newest wrapping key. Tenant
 * and name are in the authenticated header, so that a row that was copied to another tenant or name cannot be
 * opened there.
 */

const ALG = 'A256GCMKW';
const ENC = 'A256GCM';
const BOUNDS = { keyManagementAlgorithms: [ALG], contentEncryptionAlgorithms: [ENC] };

/** Loaded with the first secret, because most starts of a host do not need it. */
const jose = () => import('jose');

export async function wrapSecret(
  { newest, keys }: WrappingKeys,
  { tenant, name }: SecretPlace,
  value: string,
): Promise<string> {
  const key = keys.get(newest);
  if (key === undefined) throw new Error('the newest wrapping key is missing');
  const { CompactEncrypt } = await jose();
  return new CompactEncrypt(new TextEncoder().encode(value))
    .setProtectedHeader({ alg: ALG, enc: ENC, kid: newest, tenant, name })
    .encrypt(key);
}

/** `undefined` when the key is missing, or the row was changed or belongs to another tenant or name. */
export async function openSecret(
  { keys }: WrappingKeys,
  { tenant, name, jwe }: Omit<SecretRecord, 'updatedAt'>,
): Promise<string | undefined> {
  const key = keys.get((await keyIdOf(jwe)) ?? '');
  if (key === undefined) return undefined;
  const { compactDecrypt } = await jose();
  try {
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, key, BOUNDS);
    if (protectedHeader.tenant !== tenant || protectedHeader.name !== name) return undefined;
    return new TextDecoder().decode(plaintext);
  } catch {
    return undefined;
  }
}

/** The id of the key that encrypted the secret, or `undefined` for a text that is no JWE. */
export async function keyIdOf(jwe: string): Promise<string | undefined> {
  const { decodeProtectedHeader } = await jose();
  try {
    return decodeProtectedHeader(jwe).kid;
  } catch {
    return undefined;
  }
}
