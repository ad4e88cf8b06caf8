import type { Store, StoreReads, WorkInHand } from '@baton/engine/ports';
import type { EndedSession, KeyName, StoredKey } from '@baton/store-sqlite';
import type { MemberOptions, Membership } from './membership.ts';

/** What a host needs of the place where its data are, whichever store it is. */

export type StorageLocation =
  /** `folder`: the data folder of the host. */
  | { readonly kind: 'sqlite'; readonly folder: string }
  /** `url`: the address of the database, with a password. */
  | { readonly kind: 'postgres'; readonly url: string };

export interface Storage {
  /** Names the storage in messages. */
  readonly name: string;
  /**
   * Makes this process a host of the data, until the lock is released or the process ends: the only one in a data
   * folder, or one of several of a database.
   */
  lock(member: MemberOptions): Promise<StorageLock>;
  /** Creates new storage. For existing storage, reports its problems before other parts are started. */
  prepare(): Promise<void>;
  /** Opens the writer. A host has one at a time, in any thread. `hostNo` is the number of a host of a database. */
  openStore(hostNo?: number): Promise<Store>;
  /** Opens a reader. There may be any number of them, in any thread. */
  openReads(hostNo?: number): Promise<StoreReads>;
  /**
   * A key that the storage keeps for its host. A key that is missing, or not usable, is made and stored. The
   * keys are not part of a backup.
   */
  keepKey(name: KeyName, make: () => string, isUsable?: (text: string) => boolean): Promise<StoredKey>;
  readKey(name: KeyName): Promise<StoredKey | undefined>;
  /** Stores a key in place of the one that is there. It is durable when this resolves. */
  replaceKey(name: KeyName, text: string): Promise<void>;
  /** Does the work while no other host of the data does work with this method. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Opens the note of the tree in hand, and begins it anew. There is one at a time. */
  openInHand(): Promise<InHandNote>;
  /** Browser sessions that ended before their time and whose time has not come at `now`. */
  endedSessions(now: number): Promise<readonly EndedSession[]>;
  /** The session stays ended when this resolves. */
  addEndedSession(ended: EndedSession): Promise<void>;
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
export type StoredKeys = Pick<Storage, 'keepKey' | 'readKey' | 'replaceKey' | 'alone'>;

/** The sessions that a storage keeps as ended. */
export type StoredEndings = Pick<Storage, 'endedSessions' | 'addEndedSession'>;

export interface StorageLock {
  /** Absent where a host has its storage for itself. */
  readonly membership?: Membership;
  release(): Promise<void>;
}

/** Tells the next process which tree this process was working on, if this process ends unexpectedly. */
interface InHandNote extends WorkInHand {
  /** The tree that the previous process was working on when it ended unexpectedly. */
  readonly before: string | undefined;
  close(): void;
}
