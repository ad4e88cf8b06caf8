import type { Database, Statement, Value } from '../../packages/store-sqlite/src/database/database.ts';
import type { LossyDisk } from './lossy-disk.ts';
import { mount, VFS_NAME } from './lossy-vfs.ts';
import { sqlite3 } from './wasm-sqlite.ts';

/** SQLite over a lossy disk, as the store sees a database. Errors carry the codes of the native driver. */
export function openOnDisk(disk: LossyDisk): Database {
  mount(disk);
  const { capi } = sqlite3;
  const db = named(() => new sqlite3.oo1.DB({ filename: '/baton.db', flags: 'c', vfs: VFS_NAME }));
  // Without shared memory, the index of the write-ahead log must be this connection's own.
  db.exec('PRAGMA locking_mode = EXCLUSIVE');

  return {
    get inTransaction() {
      return capi.sqlite3_get_autocommit(db) === 0;
    },
    exec: (sql) => named(() => db.exec(sql)),
    prepare<Row>(sql: string): Statement<Row> {
      const statement = named(() => db.prepare(sql));
      const rows = (values: readonly Value[]): Row[] => {
        const found: Row[] = [];
        try {
          if (values.length > 0) statement.bind([...values]);
          while (statement.step()) found.push(statement.get({}) as Row);
          return found;
        } finally {
          // Reports the error of the step once more, if it had one.
          capi.sqlite3_reset(statement);
        }
      };
      return {
        run: (...values) =>
          named(() => {
            rows(values);
            const lastInsertRowid = Number(capi.sqlite3_last_insert_rowid(db));
            return { changes: Number(db.changes()), lastInsertRowid };
          }),
        get: (...values) => named(() => rows(values)[0]),
        all: (...values) => named(() => rows(values)),
      };
    },
    close: () => db.close(),
  };
}

function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof sqlite3.SQLite3Error) {
      throw Object.assign(error, { code: sqlite3.capi.sqlite3_js_rc_str(error.resultCode) });
    }
    throw error;
  }
}
