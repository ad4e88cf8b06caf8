import { randomBytes } from 'node:crypto';
import type { StoredKeys } from '@baton/server/storage';

const SHORTEST = 16;

/**
 * The key of a host that was started without a key. It is kept, so that copied commands work after a restart.
 */
export async function developmentKey(keys: StoredKeys): Promise<string> {
  const make = () => `baton_dev_${randomBytes(24).toString('base64url')}`;
  const { text } = await keys.keepKey('development', make, (kept) => kept.length >= SHORTEST);
  return text;
}
