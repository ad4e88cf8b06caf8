import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

export function databaseFile(folder: string): string {
  return join(folder, 'baton.db');
}

export function lockFile(folder: string): string {
  return join(folder, 'host.lock');
}

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
