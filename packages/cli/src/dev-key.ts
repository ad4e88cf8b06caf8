import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function developmentKeyFile(dataFolder: string): string {
  return join(dataFolder, 'dev-key');
}

/**
 * The key of a host that was started without a key. It is kept, so that copied commands work after a restart.
 */
export function developmentKey(dataFolder: string): string {
  const file = developmentKeyFile(dataFolder);
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept.length >= 16) return kept;

  const key = `baton_dev_${randomBytes(24).toString('base64url')}`;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  // Written to another file and renamed, so that a crash never leaves an incomplete key.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${key}\n`, { mode: 0o600 });
  renameSync(draft, file);
  return key;
}
