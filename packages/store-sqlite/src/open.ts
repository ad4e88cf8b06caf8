import { existsSync, statSync } from 'node:fs';
import type { Store, StoreReads } from '@baton/engine/ports';
import { createDataFolder, createPrivateFile, databaseFile, requireWritable } from './data-folder.ts';
import type { Database } from './database/database.ts';
import { asDatabase, openNative } from './database/native.ts';
import { keysOfUsedFolder } from './key-files.ts';
import { sqliteReads } from './reads.ts';
import { schemaVersion } from './schema/migrate.ts';
import { explainingFaults, requireFolder, StorageFault } from './storage-fault.ts';
import { sqliteStore } from './store.ts';

/** Opens the writer. `lockDataFolder` ensures that a folder has only one. */
export function openSqliteStore(folder: string): Store {
  return withDatabase(folder, (database, file) => sqliteStore(database, file));
}

/**
 * Creates the database of a new folder. For an existing folder, reports problems of the database before the
 * host creates other files or starts threads.
 */
export async function prepareDatabase(folder: string): Promise<void> {
  const isNew = withDatabase(folder, (database, file) => {
    const version = schemaVersion(database, file);
    database.close();
    return version === 0;
  });
  if (isNew) await openSqliteStore(folder).close();
}

/** Opens a reader. There may be any number of them, in any thread, after the writer has opened the folder. */
export function openSqliteReads(folder: string): StoreReads {
  const file = databaseFile(folder);
  requireFolder(folder);
  return explainingFaults(file, () => {
    const database = asDatabase(openNative(file, { readonly: true, fileMustExist: true }));
    return closedOnFailure(database, () => sqliteReads(database, file));
  });
}

function withDatabase<T>(folder: string, use: (database: Database, file: string) => T): T {
  const file = databaseFile(folder);
  return explainingFaults(file, () => {
    createDataFolder(folder);
    refuseLostDatabase(folder);
    createPrivateFile(file);
    requireWritable(file);
    return closedOnFailure(asDatabase(openNative(file)), (database) => {
      if (schemaVersion(database, file) === 0) refuseLostDatabase(folder, 'empty');
      return use(database, file);
    });
  });
}

function closedOnFailure<T>(database: Database, use: (database: Database) => T): T {
  try {
    return use(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Refuses a folder that holds the keys of a host, but no database or an empty one. A host creates its keys
 * only after its database, so the database was lost. A new database would hide the loss.
 */
function refuseLostDatabase(folder: string, found: 'empty' | 'unknown' = 'unknown'): void {
  const file = databaseFile(folder);
  if (found === 'unknown' && sizeOf(file) + sizeOf(`${file}-wal`) > 0) return;
  const left = keysOfUsedFolder(folder);
  if (left.length === 0) return;
  throw new StorageFault(
    `${file} is ${existsSync(file) ? 'empty' : 'missing'}, but a host has worked in this folder before: its keys ` +
      `are there (${left.join(', ')}). Put the database back, or restore a backup with: baton restore <backup> ` +
      '--data <folder>, after moving an empty file away. To begin a new host here instead, move the keys out of ' +
      'the folder and keep them: without them nothing that was sealed or signed before can be opened or checked.',
  );
}

/** Does not open the file: closing it would drop the locks that the process holds on it through SQLite. */
function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}
