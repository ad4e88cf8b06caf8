import { existsSync, renameSync, rmSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { createPrivateFile } from './data-folder.ts';
import { openNative } from './database/native.ts';

/** 8 MB: large enough to finish soon, small enough not to block the event loop for long. */
const PAGES_AT_ONCE = 1024;

/**
 * Copies the database into one file. The file is checked, and gets its final name only after it is complete.
 */
export async function copyDatabase(source: BetterSqlite3.Database, target: string): Promise<void> {
  if (existsSync(target)) throw new Error(`${target} already exists; choose another name or move it away`);
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  createPrivateFile(partial);
  try {
    await copyMoment(source, partial);
    finishCopy(partial);
    renameSync(partial, target);
  } finally {
    rmSync(partial, { force: true });
  }
}

/** The open read transaction fixes the moment of the copy. Without it, each commit would restart the copy. */
async function copyMoment(source: BetterSqlite3.Database, file: string): Promise<void> {
  source.exec('BEGIN');
  try {
    source.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    await source.backup(file, { progress: () => PAGES_AT_ONCE });
  } finally {
    source.exec('COMMIT');
  }
}

/** Leaves no write-ahead log beside the file, so that the file can be moved alone. */
function finishCopy(file: string): void {
  const copy = openNative(file, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    requireIntact(copy, file);
  } finally {
    copy.close();
  }
}

export function requireIntact(database: BetterSqlite3.Database, file: string): void {
  const verdict = database.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`${file} is damaged: ${verdict}`);
}
