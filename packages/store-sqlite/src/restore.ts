import { existsSync } from 'node:fs';
import { copyDatabase, requireIntact } from './copy-database.ts';
import { databaseFile } from './data-folder.ts';
import { asDatabase, openNative } from './database/native.ts';
import { lockDataFolder } from './lock.ts';
import { schemaVersion } from './schema/migrate.ts';

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
