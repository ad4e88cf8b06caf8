import BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from '../../packages/store-sqlite/src/database/database.ts';
import { asDatabase } from '../../packages/store-sqlite/src/database/native.ts';
import { sqliteReads } from '../../packages/store-sqlite/src/reads.ts';
import { sqliteStore } from '../../packages/store-sqlite/src/store.ts';
import type { Store, StoreReads } from '@baton/engine';

/** One database in memory that several hosts write to, each through a store of its own. */
export interface Storage {
  newStore(): Store;
  readonly reads: StoreReads;
  /** The bytes of the database, to begin another one with. */
  image(): Buffer;
  close(): void;
}

export function openStorage(image: Buffer | ':memory:'): Storage {
  const native = new BetterSqlite3(image);
  const database = memoryDatabase(native);
  // The first store creates the schema, which the reads need.
  const first = sqliteStore(database, 'memory');
  let given = false;
  return {
    newStore() {
      if (given) return sqliteStore(database, 'memory');
      given = true;
      return first;
    },
    reads: sqliteReads(database, 'memory'),
    image: () => native.serialize(),
    close: () => void native.close(),
  };
}

/**
 * A database in memory has no write-ahead log. Statements are prepared once for each database, because that
 * takes longer than most simulations.
 */
function memoryDatabase(native: BetterSqlite3.Database): Database {
  const database = asDatabase(native);
  const prepared = new Map<string, Statement>();
  return {
    get inTransaction() {
      return native.inTransaction;
    },
    exec: database.exec,
    close: database.close,
    prepare<Row>(sql: string) {
      const text = sql.includes('journal_mode') ? "SELECT 'wal' AS journal_mode" : sql;
      const known = prepared.get(text) ?? database.prepare(text);
      prepared.set(text, known);
      return known as Statement<Row>;
    },
  };
}
