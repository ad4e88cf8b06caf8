import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const KEY_BYTES = 32;

/** The key that signs links. It is made once and kept in the data folder, so that links outlive a restart. */
export function loadTokenKey(dataFolder: string): Buffer {
  const file = join(dataFolder, 'token.key');
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx' });
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold a key; restore it or delete it`);
  return key;
}
