import { createHash, randomBytes } from 'node:crypto';
import type { ApiKey } from '@baton/engine/ports';

/** A new key and its stored record. The record holds a digest of the key, never the key. */
interface NewKey {
  readonly key: string;
  readonly record: ApiKey;
}

export function newKey(
  holder: Pick<ApiKey, 'tenant' | 'principal' | 'scopes' | 'roles'>,
  now: number,
): NewKey {
  const key = `baton_${randomBytes(32).toString('base64url')}`;
  const id = `key_${randomBytes(6).toString('hex')}`;
  const hash = createHash('sha256').update(key).digest('hex');
  return { key, record: { id, hash, ...holder, createdAt: now } };
}
