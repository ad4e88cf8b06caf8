import Database from 'better-sqlite3';

/**
 * Changes the database of a host as somebody could who has the file and no key. The database refuses to change
 * or delete checkpoints, so these guards are removed first. Returns the number of changed rows.
 */
export function forge(folder: string, sql: string, ...values: readonly unknown[]): number {
  const database = new Database(`${folder}/baton.db`);
  try {
    const guards = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name GLOB 'audit_*'`)
      .pluck()
      .all();
    for (const name of guards) database.exec(`DROP TRIGGER ${name}`);
    return database.prepare(sql).run(...values).changes;
  } finally {
    database.close();
  }
}
