import type { Store, StoreReads } from '@baton/engine/ports';
import type BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from './database/database.ts';
import { asDatabase, openNative } from './database/native.ts';
import { sqliteReads } from './reads.ts';
import { sqliteStore } from './store.ts';

/** A store that keeps nothing: its database is in the memory of this process, and the writer and the reader share it. */
export function openMemoryStorage(): { readonly store: Store; readonly reads: StoreReads } {
  const database = inMemory(openNative(':memory:'));
  // The store creates the schema, which the reads need.
  const store = sqliteStore(database, 'memory');
  return { store, reads: sqliteReads(database, 'memory') };
}

/** A database in memory has no write-ahead log. */
const INSTEAD: Readonly<Record<string, string>> = {
  'PRAGMA journal_mode = WAL': "SELECT 'wal' AS journal_mode",
  'PRAGMA wal_checkpoint(TRUNCATE)': 'SELECT 0',
};

/** Statements are prepared when they are first used: to prepare all of them takes longer than a short test. */
function inMemory(native: BetterSqlite3.Database): Database {
  const database = asDatabase(native);
  const known = new Map<string, Statement>();

  function lazily(sql: string): Statement {
    let made: Statement | undefined;
    const statement = () => {
      made ??= database.prepare(INSTEAD[sql] ?? sql);
      return made;
    };
    return {
      run: (...values) => statement().run(...values),
      get: (...values) => statement().get(...values),
      all: (...values) => statement().all(...values),
    };
  }

  return {
    get inTransaction() {
      return native.inTransaction;
    },
    exec: database.exec,
    close: database.close,
    prepare<Row>(sql: string) {
      const statement = known.get(sql) ?? lazily(sql);
      known.set(sql, statement);
      return statement as Statement<Row>;
    },
  };
}
