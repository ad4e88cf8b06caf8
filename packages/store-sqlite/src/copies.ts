import { existsSync, renameSync, rmSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { createPrivateFile, databaseFile } from './data-folder.ts';
import { asDatabase, openNative } from './database/native.ts';
import { lockDataFolder } from './lock.ts';
import { schemaVersion } from './schema/migrate.ts';
import { explainingFaults } from './storage-fault.ts';

/** Copies the database of a folder, as it is at one moment, into one file. The host may continue to run. */
export async function backup(folder: string, file: string): Promise<void> {
  const database = databaseFile(folder);
  if (!existsSync(database)) throw new Error(`there is no Baton database in ${folder}`);
  const source = explainingFaults(database, () =>
    openNative(database, { readonly: true, fileMustExist: true }),
  );
  try {
    schemaVersion(asDatabase(source), database);
    await copyDatabase(source, file);
  } finally {
    source.close();
  }
}

/** Creates a data folder from a backup. The folder must not hold a database, nor files left over from one. */
export async function restore(file: string, folder: string): Promise<void> {
  if (!existsSync(file)) throw new Error(`there is no backup at ${file}`);
  const lock = lockDataFolder(folder);
  try {
    refuseOccupied(folder);
    await copyChecked(file, databaseFile(folder));
  } finally {
    lock.release();
  }
}

async function copyChecked(file: string, target: string): Promise<void> {
  const source = openNative(file, { readonly: true, fileMustExist: true });
  try {
    if (schemaVersion(asDatabase(source), file) === 0) throw new Error(`${file} is empty`);
    requireIntact(source, file);
    await copyDatabase(source, target);
  } catch (error) {
    const foreign = error instanceof Error && 'code' in error && error.code === 'SQLITE_NOTADB';
    throw foreign ? new Error(`${file} is not a Baton database`, { cause: error }) : error;
  } finally {
    source.close();
  }
}

/** A write-ahead log without a database is refused too: SQLite would apply it to the restored database. */
function refuseOccupied(folder: string): void {
  const database = databaseFile(folder);
  const found = [database, `${database}-wal`, `${database}-journal`].find((file) => existsSync(file));
  if (found === undefined) return;
  throw new Error(`${found} already exists: restore into another folder, or move it away first`);
}

/** 8 MB: large enough to finish soon, small enough not to block the event loop for long. */
const PAGES_AT_ONCE = 1024;

/**
 * Copies the database into one file. The file is checked, and gets its final name only after it is complete.
 */
async function copyDatabase(source: BetterSqlite3.Database, target: string): Promise<void> {
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

function requireIntact(database: BetterSqlite3.Database, file: string): void {
  const verdict = database.pragma('integrity_check(1)', { simple: true });
  if (verdict !== 'ok') throw new Error(`${file} is damaged: ${verdict}`);
}
