import type { Database } from './database.ts';
import { writeFailure } from './storage-full.ts';

interface Transaction {
  begin(): void;
  commit(): void;
  /** Does nothing if SQLite has already rolled back by itself, which can happen on a full disk. */
  rollback(): void;
}

export function transaction(database: Database): Transaction {
  // IMMEDIATE takes the write lock now, so no later statement can fail because of a missing lock.
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  return {
    begin: () => {
      begin.run();
    },
    commit: () => {
      commit.run();
    },
    rollback: () => {
      if (database.inTransaction) rollback.run();
    },
  };
}

/** Runs `work` in a transaction. */
export function atomically<T>(own: Transaction, work: () => T): T {
  try {
    own.begin();
    const result = work();
    own.commit();
    return result;
  } catch (error) {
    own.rollback();
    throw writeFailure(error);
  }
}

/** Lets waiting commits and reads run before the next batch. */
export function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Several queries read the same version of the database, while another connection writes. */
export function snapshots(database: Database): <T>(read: () => T) => T {
  const begin = database.prepare('BEGIN');
  const end = database.prepare('COMMIT');
  return (read) => {
    begin.run();
    try {
      return read();
    } finally {
      end.run();
    }
  };
}
