import { resolve } from 'node:path';
import {
  addEndedSession,
  backup,
  inHandFile,
  keepKey,
  leaveAddress,
  lockDataFolder,
  openSqliteReads,
  openSqliteStore,
  prepareDatabase,
  readEndedSessions,
  readKey,
  removeAddress,
  replaceKey,
  restore,
  treeInHand,
} from '@baton/store-sqlite';
import { postgresAt } from './postgres-storage.ts';
import type { Storage, StorageLocation } from './storage.ts';

export type { StorageLocation, StorageLock, StoredEndings, StoredKey, StoredKeys } from './storage.ts';

/**
 * The only place that knows which stores there are. Every other part opens the storage of a host here, and
 * knows neither its files nor their names.
 */

/** Names the storage, and opens nothing yet. */
export function storageAt(location: StorageLocation): Storage {
  switch (location.kind) {
    case 'sqlite':
      return sqliteIn(location.folder);
    case 'postgres':
      return postgresAt(location.url);
  }
}

function sqliteIn(folder: string): Storage {
  return {
    name: resolve(folder),
    async lock() {
      const lock = lockDataFolder(folder);
      return { release: async () => lock.release() };
    },
    prepare: () => prepareDatabase(folder),
    openStore: async () => openSqliteStore(folder),
    openReads: async () => openSqliteReads(folder),
    keepKey: async (name, make, isUsable) => keepKey(folder, name, make, isUsable),
    readKey: async (name) => readKey(folder, name),
    replaceKey: async (name, text) => replaceKey(folder, name, text),
    // The lock of the data folder lets no other host in.
    alone: (work) => work(),
    async openInHand() {
      const before = treeInHand(folder);
      return { before, ...inHandFile(folder) };
    },
    endedSessions: async (now) => readEndedSessions(folder, now),
    addEndedSession: async (ended) => addEndedSession(folder, ended),
    leaveAddress: async (url) => leaveAddress(folder, url),
    removeAddress: async () => removeAddress(folder),
    backup: (file) => backup(folder, file),
    restore: (file) => restore(file, folder),
  };
}
