import type { Database } from '../database/database.ts';
import { atomically, transaction } from '../database/transaction.ts';
import { newestVersion, SCHEMA, type Schema } from './migrations.ts';

/** "Bato", written in the header of the file. It distinguishes a Baton database from other databases. */
const APPLICATION_ID = 0x4261746f;

/** Brings the database to the newest schema, in one transaction. `where` names the file in messages. */
export function migrate(database: Database, where: string, schema: Schema = SCHEMA): void {
  const newest = newestVersion(schema);
  if (schemaVersion(database, where, schema) === newest) return;
  atomically(transaction(database), () => {
    const version = schemaVersion(database, where, schema);
    const missing = schema.migrations.filter((_, at) => schema.first + at > version);
    for (const sql of missing) database.exec(sql);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${newest}`);
  });
}

/**
 * The schema version of the file; 0 if it is empty. Refuses files of other programs, of development versions and of newer
 * versions.
 */
export function schemaVersion(database: Database, where: string, schema: Schema = SCHEMA): number {
  const id = database.prepare<{ application_id: number }>('PRAGMA application_id').get()?.application_id;
  if (id !== APPLICATION_ID) {
    if (id === 0 && isEmpty(database)) return 0;
    throw new Error(
      `${where} is not a Baton database but one of another program: name the right folder with --data or BATON_DATA, ` +
        'or move the file away',
    );
  }
  const version = database.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;
  if (version < schema.first)
    throw new Error(`${where} was made by a development version of Baton: start with an empty data folder`);
  const newest = newestVersion(schema);
  if (version <= newest) return version;
  throw new Error(
    `${where} has schema version ${version}, but this Baton knows versions up to ${newest}: ` +
      'start the newer Baton that wrote it, or restore a backup made before the upgrade',
  );
}

/** For readers: they cannot migrate an older schema. */
export function requireNewestSchema(database: Database, where: string): void {
  const version = schemaVersion(database, where);
  if (version === newestVersion(SCHEMA)) return;
  throw new Error(`${where} has schema version ${version}; start the host once to bring it up to date`);
}

function isEmpty(database: Database): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}
