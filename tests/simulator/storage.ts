import type { Store, StoreReads } from '@baton/engine';
import BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from '../../packages/store-sqlite/src/database/database.ts';
import { asDatabase } from '../../packages/store-sqlite/src/database/native.ts';
import { sqliteReads } from '../../packages/store-sqlite/src/reads.ts';
import { sqliteStore } from '../../packages/store-sqlite/src/store.ts';

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
 * A database in memory has no write-ahead log. A statement is prepared when it is first used, once for each
 * database, because to prepare all of them takes as long as a simulation.
 */
function memoryDatabase(native: BetterSqlite3.Database): Database {
  const database = asDatabase(native);
  const known = new Map<string, Statement>();

  function lazily(sql: string): Statement {
    let made: Statement | undefined;
    const statement = () => {
      made ??= database.prepare(sql.includes('journal_mode') ? "SELECT 'wal' AS journal_mode" : sql);
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
