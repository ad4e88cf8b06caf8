import type { Store, StoreReads } from '@baton/engine/ports';
import {
  backup,
  lockDataFolder,
  openSqliteReads,
  openSqliteStore,
  prepareDatabase,
  restore,
} from '@baton/store-sqlite';

/** The only place that knows which stores there are. Every other part opens the storage of a host here. */

export type StorageLocation = {
  readonly kind: 'sqlite';
  /** The data folder of the host. */
  readonly folder: string;
};

interface Storage {
  /** Makes this process the only host of the data, until the lock is released or the process ends. */
  lock(): Promise<StorageLock>;
  /** Creates new storage. For existing storage, reports its problems before other parts are started. */
  prepare(): Promise<void>;
  /** Opens the writer. There is one at a time, in any thread. */
  openStore(): Promise<Store>;
  /** Opens a reader. There may be any number of them, in any thread. */
  openReads(): Promise<StoreReads>;
  /** Copies all data, as it is at one moment, into one file. */
  backup(file: string): Promise<void>;
  /** Creates the storage from a backup. There must not be any data yet. */
  restore(file: string): Promise<void>;
}

export interface StorageLock {
  release(): Promise<void>;
}

/** Names the storage, and opens nothing yet. */
export function storageAt(location: StorageLocation): Storage {
  switch (location.kind) {
    case 'sqlite':
      return sqliteIn(location.folder);
  }
}

function sqliteIn(folder: string): Storage {
  return {
    async lock() {
      const lock = lockDataFolder(folder);
      return { release: async () => lock.release() };
    },
    prepare: () => prepareDatabase(folder),
    openStore: async () => openSqliteStore(folder),
    openReads: async () => openSqliteReads(folder),
    backup: (file) => backup(folder, file),
    restore: (file) => restore(file, folder),
  };
}
