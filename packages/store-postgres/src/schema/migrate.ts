import type { Database, Queries } from '../database/database.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * A change of the schema. Migrations only add, so that hosts of the release before can go on while the hosts of a
 * cluster are replaced one after the other. `oldest` is the oldest schema version whose hosts can live with it.
 */
interface Migration {
  readonly sql: string;
  readonly oldest: number;
}

/** Only one host migrates at a time. The number is chosen at random. */
const MIGRATING = 474_701;

/** Brings the database to the newest schema, in one transaction. `where` names the database in messages. */
export async function migrate(
  database: Database,
  where: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if ((await schemaVersion(database, where, migrations.length)) >= migrations.length) return;
  await database.transaction(async (queries) => {
    await queries.run('SELECT pg_advisory_xact_lock($1)', MIGRATING);
    const version = await schemaVersion(queries, where, migrations.length);
    if (version === 0) await queries.run(VERSIONS);
    for (const [offset, { sql, oldest }] of migrations.slice(version).entries()) {
      for (const statement of statementsIn(sql)) await queries.run(statement);
      await queries.run(APPLIED, version + offset + 1, oldest);
    }
  });
}

/**
 * The schema version of the database; 0 if it is empty. Refuses databases of other programs, and those of newer
 * releases that a host of this release cannot live with.
 */
export async function schemaVersion(
  queries: Queries,
  where: string,
  newest: number = MIGRATIONS.length,
): Promise<number> {
  const found = await queries.row<{ ours: boolean; others: boolean }>(FOUND);
  if (found?.ours !== true) {
    if (found?.others !== true) return 0;
    throw new Error(
      `${where} has tables of another program and none of Baton: name another database in BATON_DATABASE_URL`,
    );
  }
  const stored = await queries.row<{ version: number; oldest: number }>(STORED);
  if (stored === undefined) return 0;
  if (stored.oldest <= newest) return stored.version;
  throw new Error(
    `${where} has schema version ${stored.version}, which needs a Baton that knows version ${stored.oldest}; ` +
      `this one knows versions up to ${newest}: start a newer Baton`,
  );
}

/** For readers: they do not migrate. */
export async function requireNewestSchema(queries: Queries, where: string): Promise<void> {
  const version = await schemaVersion(queries, where);
  if (version >= MIGRATIONS.length) return;
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

const VERSIONS = 'CREATE TABLE schema_versions (version integer PRIMARY KEY, oldest integer NOT NULL)';
const APPLIED = 'INSERT INTO schema_versions (version, oldest) VALUES ($1, $2)';
const STORED = `
  SELECT max(version) AS version, max(oldest) AS oldest FROM schema_versions HAVING count(*) > 0`;
const FOUND = `
  SELECT to_regclass('schema_versions') IS NOT NULL AND to_regclass('commits') IS NOT NULL AS ours,
    EXISTS (SELECT FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace) AS others`;
