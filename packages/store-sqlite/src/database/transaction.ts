import type { Database } from './database.ts';
import { writeFailure } from './storage-full.ts';

export interface Transaction {
  begin(): void;
  commit(): void;
  /** Does nothing when SQLite has already rolled back by itself, as it may on a full disk. */
  rollback(): void;
}

export function transaction(database: Database): Transaction {
  // IMMEDIATE takes the write lock at once, so no later statement can fail for want of it.
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

/** Runs `work` whole or not at all. */
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

/** Lets several queries see the same moment while another connection goes on writing. */
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
