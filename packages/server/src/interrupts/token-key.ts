import { randomBytes } from 'node:crypto';
import type { StoredKeys } from '../storage/open-storage.ts';

const KEY_BYTES = 32;

/** The key that signs links. It is made once and kept with the data, so that links outlive a restart. */
export async function loadTokenKey(keys: StoredKeys): Promise<Buffer> {
  const { text, where } = await keys.keepKey('token', () => randomBytes(KEY_BYTES).toString('hex'));
  const key = Buffer.from(text, 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${where} does not hold a key; restore it or delete it`);
  return key;
}
