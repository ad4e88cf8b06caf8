import type { Database, Queries } from '../database/database.ts';
import { newestVersion, SCHEMA, type Schema } from './migrations.ts';

/** Only one host migrates at a time. The number is chosen at random. */
const MIGRATING = 474_701;

/** Brings the database to the newest schema, in one transaction. `where` names the database in messages. */
export async function migrate(database: Database, where: string, schema: Schema = SCHEMA): Promise<void> {
  if ((await schemaVersion(database, where, schema)) >= newestVersion(schema)) return;
  await database.transaction(async (queries) => {
    await queries.run('SELECT pg_advisory_xact_lock($1)', MIGRATING);
    const version = await schemaVersion(queries, where, schema);
    if (version === 0) await queries.run(VERSIONS);
    for (const [at, { sql, oldest }] of schema.migrations.entries()) {
      if (schema.first + at <= version) continue;
      for (const statement of statementsIn(sql)) await queries.run(statement);
      await queries.run(APPLIED, schema.first + at, oldest);
    }
  });
}

/**
 * The schema version of the database; 0 if it is empty. Refuses databases of other programs, those of development
 * versions, and those of newer releases that a host of this release cannot live with.
 */
export async function schemaVersion(
  queries: Queries,
  where: string,
  schema: Schema = SCHEMA,
): Promise<number> {
  const found = await queries.row<{ ours: boolean; early: boolean; others: boolean }>(FOUND);
  const stored = found?.ours === true ? await queries.row<Stored>(STORED) : undefined;
  if (found?.early === true || (stored !== undefined && stored.version < schema.first))
    throw new Error(`${where} was made by a development version of Baton: start with an empty database`);
  if (stored === undefined) {
    if (found?.others !== true) return 0;
    throw new Error(
      `${where} has tables of another program and none of Baton: name another database in BATON_DATABASE_URL`,
    );
  }
  if (stored.oldest <= newestVersion(schema)) return stored.version;
  throw new Error(
    `${where} has schema version ${stored.version}, which needs a Baton that knows version ${stored.oldest}; ` +
      `this one knows versions up to ${newestVersion(schema)}: start a newer Baton`,
  );
}

/** For readers: they do not migrate. */
export async function requireNewestSchema(queries: Queries, where: string): Promise<void> {
  const version = await schemaVersion(queries, where);
  if (version >= newestVersion(SCHEMA)) return;
  throw new Error(`${where} has schema version ${version}; start a host once to bring it up to date`);
}

/** A prepared statement is one statement. Bodies of functions are between `$$` and hold semicolons. */
function statementsIn(sql: string): readonly string[] {
  const parts = sql.split('$$');
  const statements = [''];
  for (const [at, part] of parts.entries()) {
    const isBody = at % 2 === 1;
    const [first = '', ...rest] = isBody ? [`$$${part}$$`] : part.split(/;\s*(?:\n|$)/);
    statements[statements.length - 1] += first;
    statements.push(...rest);
  }
  return statements.filter((statement) => statement.replace(/--.*$/gm, '').trim() !== '');
}

interface Stored {
  readonly version: number;
  readonly oldest: number;
}

const VERSIONS = 'CREATE TABLE baton_schema (version integer PRIMARY KEY, oldest integer NOT NULL)';
const APPLIED = 'INSERT INTO baton_schema (version, oldest) VALUES ($1, $2)';
const STORED = 'SELECT max(version) AS version, max(oldest) AS oldest FROM baton_schema HAVING count(*) > 0';
/** Development versions kept their number in `schema_versions`. */
const FOUND = `
  SELECT to_regclass('baton_schema') IS NOT NULL AS ours,
    to_regclass('schema_versions') IS NOT NULL AND to_regclass('commits') IS NOT NULL AS early,
    EXISTS (SELECT FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS others`;
