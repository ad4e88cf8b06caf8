import type { Store, StoreReads } from '@baton/engine/ports';
import { createDataFolder, createPrivateFile, databaseFile, requireWritable } from './data-folder.ts';
import type { Database } from './database/database.ts';
import { asDatabase, openNative } from './database/native.ts';
import { refuseLostDatabase } from './lost-database.ts';
import { sqliteReads } from './reads.ts';
import { schemaVersion } from './schema/migrate.ts';
import { explainingFaults, requireFolder } from './storage-fault.ts';
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
