import type { Store, StoreReads } from '@baton/engine/ports';
import { createDataFolder, createPrivateFile, databaseFile } from './data-folder.ts';
import type { Database } from './database/database.ts';
import { asDatabase, openNative } from './database/native.ts';
import { sqliteReads } from './reads.ts';
import { sqliteStore } from './store.ts';

/** The writer. There may be one per folder; `lockDataFolder` makes sure of it. */
export function openSqliteStore(folder: string): Store {
  createDataFolder(folder);
  const file = databaseFile(folder);
  createPrivateFile(file);
  return closedOnFailure(asDatabase(openNative(file)), (database) => sqliteStore(database, file));
}

/** Any number of readers, in any thread, once the writer has opened the folder. */
export function openSqliteReads(folder: string): StoreReads {
  const file = databaseFile(folder);
  const database = asDatabase(openNative(file, { readonly: true, fileMustExist: true }));
  return closedOnFailure(database, () => sqliteReads(database, file));
}

function closedOnFailure<T>(database: Database, use: (database: Database) => T): T {
  try {
    return use(database);
  } catch (error) {
    database.close();
    throw error;
  }
}
