import { resolve } from 'node:path';
import type { Store, StoreReads, WorkInHand } from '@baton/engine/ports';
import {
  backup,
  inHandFile,
  type KeyName,
  keepKey,
  leaveAddress,
  lockDataFolder,
  openSqliteReads,
  openSqliteStore,
  prepareDatabase,
  readKey,
  removeAddress,
  replaceKey,
  restore,
  type StoredKey,
  treeInHand,
} from '@baton/store-sqlite';

/**
 * The only place that knows which stores there are. Every other part opens the storage of a host here, and
 * knows neither its files nor their names.
 */

export type StorageLocation = {
  readonly kind: 'sqlite';
  /** The data folder of the host. */
  readonly folder: string;
};

interface Storage {
  /** Names the storage in messages. */
  readonly name: string;
  /** Makes this process the only host of the data, until the lock is released or the process ends. */
  lock(): Promise<StorageLock>;
  /** Creates new storage. For existing storage, reports its problems before other parts are started. */
  prepare(): Promise<void>;
  /** Opens the writer. There is one at a time, in any thread. */
  openStore(): Promise<Store>;
  /** Opens a reader. There may be any number of them, in any thread. */
  openReads(): Promise<StoreReads>;
  /**
   * A key that the storage keeps for its host. A key that is missing, or not usable, is made and stored. The
   * keys are not part of a backup.
   */
  keepKey(name: KeyName, make: () => string, isUsable?: (text: string) => boolean): Promise<StoredKey>;
  readKey(name: KeyName): Promise<StoredKey | undefined>;
  /** Stores a key in place of the one that is there. It is durable when this resolves. */
  replaceKey(name: KeyName, text: string): Promise<void>;
  /** Opens the note of the tree in hand, and begins it anew. There is one at a time. */
  openInHand(): Promise<InHandNote>;
  /** Leaves the address of the host for commands on the same machine; see `left-by-host.ts`. */
  leaveAddress(url: string): Promise<void>;
  removeAddress(): Promise<void>;
  /** Copies all data, as it is at one moment, into one file. */
  backup(file: string): Promise<void>;
  /** Creates the storage from a backup. There must not be any data yet. */
  restore(file: string): Promise<void>;
}

export type { StoredKey } from '@baton/store-sqlite';

/** The keys of a storage. */
export type StoredKeys = Pick<Storage, 'keepKey' | 'readKey' | 'replaceKey'>;

export interface StorageLock {
  release(): Promise<void>;
}

/** Tells the next process which tree this process was working on, if this process ends unexpectedly. */
interface InHandNote extends WorkInHand {
  /** The tree that the previous process was working on when it ended unexpectedly. */
  readonly before: string | undefined;
  close(): void;
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
    async openInHand() {
      const before = treeInHand(folder);
      return { before, ...inHandFile(folder) };
    },
    leaveAddress: async (url) => leaveAddress(folder, url),
    removeAddress: async () => removeAddress(folder),
    backup: (file) => backup(folder, file),
    restore: (file) => restore(file, folder),
  };
}
