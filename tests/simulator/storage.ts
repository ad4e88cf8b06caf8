import type { Store, StoreReads } from '@baton/engine';
import type { TreeRef } from '@baton/engine/ports';
import BetterSqlite3 from 'better-sqlite3';
import type { Database, Statement } from '../../packages/store-sqlite/src/database/database.ts';
import { asDatabase } from '../../packages/store-sqlite/src/database/native.ts';
import { sqliteReads } from '../../packages/store-sqlite/src/reads.ts';
import { sqliteStore } from '../../packages/store-sqlite/src/store.ts';

/** One database in memory that several hosts write to, each through a store of its own. */
export interface Storage {
  newStore(): Store;
  /** A store that is told only of its own changes. */
  newOwnStore(): Store;
  newReads(): StoreReads;
  /** The trees with work left or a deadline. */
  roots(): readonly RootRow[];
  setWake(rootId: string, at: number): void;
  /** The keys of the effects that are offered and that no host has taken up. */
  offered(): readonly string[];
  /** The keys of the effects that this host owns. */
  effectsOf(owner: string): readonly string[];
  /** Undoes everything that was written since `mark`. */
  undo(): void;
  /** Begins a simulation. */
  mark(): void;
  close(): void;
}

/** The row of a root, as far as it says when its tree must be computed. */
export interface RootRow extends TreeRef {
  readonly runNo: number;
  readonly wakeAt: number | null;
  readonly unfinished: 0 | 1;
}

export function openStorage(): Storage {
  const native = new BetterSqlite3(':memory:');
  const database = memoryDatabase(native);
  const told = new Set<Listener>();
  // The first store creates the schema, which the reads need.
  let next: Store | undefined = sqliteStore(database, 'memory');
  const roots = database.prepare<RootRow>(ROOTS);
  const effects = database.prepare<{ key: string }>('SELECT key FROM effects WHERE owner = ?');
  const setWake = database.prepare('UPDATE runs SET wake_at = ? WHERE run_id = ?');

  function newOwnStore(): Store {
    const store = next ?? sqliteStore(database, 'memory');
    next = undefined;
    return store;
  }

  return {
    newStore() {
      const store = newOwnStore();
      return { ...store, changes: toldOfAll(store, told) };
    },
    newOwnStore,
    roots: () => roots.all(),
    offered: () => effects.all('').map(({ key }) => key),
    effectsOf: (owner) => effects.all(owner).map(({ key }) => key),
    setWake: (rootId, at) => void setWake.run(at, rootId),
    newReads: () => sqliteReads(database, 'memory'),
    mark: () => void native.exec('BEGIN'),
    undo() {
      native.exec('ROLLBACK');
      told.clear();
    },
    close: () => void native.close(),
  };
}

const ROOTS = `
  SELECT run_id AS rootId, tenant, workflow_id AS workflowId, workflow_version AS workflowVersion, run_no AS runNo,
    wake_at AS wakeAt, unfinished
  FROM runs WHERE wake_at IS NOT NULL OR unfinished = 1 ORDER BY run_no`;

type Listener = Parameters<Store['changes']>[0];

/** Each host is told of the changes of all hosts, as a store that several hosts share must do. */
function toldOfAll(store: Store, told: Set<Listener>): Store['changes'] {
  store.changes((change) => {
    for (const listener of told) listener(change);
  });
  return (listener) => {
    told.add(listener);
    return () => void told.delete(listener);
  };
}

/** All simulations of one family are done in one transaction, which is undone after each of them. */
const WITHIN: Readonly<Record<string, string>> = {
  BEGIN: 'SAVEPOINT within',
  'BEGIN IMMEDIATE': 'SAVEPOINT within',
  COMMIT: 'RELEASE within',
  // A database in memory has no write-ahead log.
  'PRAGMA journal_mode = WAL': "SELECT 'wal' AS journal_mode",
  'PRAGMA wal_checkpoint(TRUNCATE)': 'SELECT 0',
};

const OF_A_FILE = /^PRAGMA (page_size|synchronous|wal_)/;

/**
 * To prepare all statements takes as long as a simulation. So a statement is prepared when it is first used,
 * and kept for the simulations that follow.
 */
function memoryDatabase(native: BetterSqlite3.Database): Database {
  const database = asDatabase(native);
  const known = new Map<string, Statement>();
  let depth = 0;

  function rollBack() {
    native.exec('ROLLBACK TO within; RELEASE within');
    depth -= 1;
    return { changes: 0, lastInsertRowid: 0 };
  }

  function lazily(sql: string): Statement {
    let made: Statement | undefined;
    const statement = () => {
      if (sql.startsWith('BEGIN')) depth += 1;
      if (sql === 'COMMIT') depth -= 1;
      made ??= database.prepare(WITHIN[sql] ?? sql);
      return made;
    };
    return {
      run: (...values) => (sql === 'ROLLBACK' ? rollBack() : statement().run(...values)),
      get: (...values) => statement().get(...values),
      all: (...values) => statement().all(...values),
    };
  }

  return {
    get inTransaction() {
      return depth > 0;
    },
    exec(sql) {
      // Settings of a file have no meaning here, and cannot be changed within a transaction.
      if (!native.inTransaction || !OF_A_FILE.test(sql)) database.exec(sql);
    },
    close: database.close,
    prepare<Row>(sql: string) {
      const statement = known.get(sql) ?? lazily(sql);
      known.set(sql, statement);
      return statement as Statement<Row>;
    },
  };
}
