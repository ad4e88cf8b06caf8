import { randomBytes } from 'node:crypto';
import { SEALING_KEY_BYTES } from '@baton/engine';
import type { StoredKey, StoredKeys } from '../storage/open-storage.ts';

/**
 * The key that seals sensitive values. Without it these values are lost. A key that is not given is stored
 * with the data.
 */
export async function loadSealingKey(keys: StoredKeys, given?: string): Promise<Buffer> {
  if (given !== undefined) return keyIn({ text: given, where: 'The sealing key' });
  return keyIn(await keys.keepKey('sealing', () => randomBytes(SEALING_KEY_BYTES).toString('hex')));
}

function keyIn({ text, where }: StoredKey): Buffer {
  const key = Buffer.from(text, 'hex');
  if (key.length === SEALING_KEY_BYTES && text.length === 2 * SEALING_KEY_BYTES) return key;
  throw new Error(`${where} does not hold ${SEALING_KEY_BYTES} bytes in hexadecimal digits; restore it`);
}
