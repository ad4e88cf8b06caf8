import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SEALING_KEY_BYTES } from '@baton/engine';

/**
 * The key that seals sensitive values. Without it these values are lost. A key that is not given is stored
 * with the data.
 */
export function loadSealingKey(dataFolder: string, given?: string): Buffer {
  if (given !== undefined) return keyIn(given, 'The sealing key');
  const file = join(dataFolder, 'sealing.key');
  if (!existsSync(file)) {
    writeFileSync(file, randomBytes(SEALING_KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx' });
  }
  return keyIn(readFileSync(file, 'utf8').trim(), file);
}

function keyIn(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'hex');
  if (key.length === SEALING_KEY_BYTES && text.length === 2 * SEALING_KEY_BYTES) return key;
  throw new Error(`${where} does not hold ${SEALING_KEY_BYTES} bytes in hexadecimal digits; restore it`);
}
