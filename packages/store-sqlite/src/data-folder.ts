import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function databaseFile(folder: string): string {
  return join(folder, 'baton.db');
}

export function lockFile(folder: string): string {
  return join(folder, 'host.lock');
}

/** What a host makes beside its database, once that is there. */
export const KEY_FILES = ['audit.key', 'sealing.key', 'token.key'] as const;

/** What people entrust to their agents is for this user's eyes only. */
export function createDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Creates the file with tight permissions before SQLite creates it with loose ones; its log inherits them.
 * A file that exists is left alone: closing it here would drop the locks this process holds on it.
 */
export function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** SQLite opens what it may not write for reading, and only a write would tell; so the folder and its files are asked. */
export function requireWritable(file: string): void {
  for (const path of [dirname(file), file, `${file}-wal`, `${file}-shm`]) {
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK);
  }
}
