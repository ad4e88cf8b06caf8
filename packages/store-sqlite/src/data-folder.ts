import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function databaseFile(folder: string): string {
  return join(folder, 'baton.db');
}

export function lockFile(folder: string): string {
  return join(folder, 'host.lock');
}

/** Only the user that runs the host may read the folder. */
export function createDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Creates the file with strict permissions, because SQLite would create it with loose ones. The write-ahead
 * log gets the same permissions. An existing file is not opened: closing it would drop the locks of this
 * process on it.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** SQLite opens a write-protected file for reading and fails at the first write. This check fails early. */
export function requireWritable(file: string): void {
  for (const path of [dirname(file), file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
  }
}
