import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** How much a host keeps and writes on its disk. */

/** The number of root runs, and the size of the database after everything was moved out of the write-ahead log. */
export function databaseOf(dataFolder) {
  const file = join(dataFolder, 'baton.db');
  const database = new Database(file);
  try {
    database.pragma('wal_checkpoint(TRUNCATE)');
    const trees = database.prepare('SELECT count(*) FROM runs WHERE parent_no IS NULL').pluck().get();
    return { trees, bytes: statSync(file).size };
  } finally {
    database.close();
  }
}

/** The number of events that these runs have together. */
export function eventsOf(dataFolder, runIds) {
  const database = new Database(join(dataFolder, 'baton.db'), { readonly: true });
  try {
    const head = database.prepare('SELECT head FROM runs WHERE run_id = ?').pluck();
    return runIds.reduce((sum, runId) => sum + head.get(runId), 0);
  } finally {
    database.close();
  }
}

/** Bytes that a process has given to its disk. Undefined where the system does not count them. */
export function bytesWritten(pid) {
  const file = `/proc/${pid}/io`;
  if (!existsSync(file)) return undefined;
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1]);
}
