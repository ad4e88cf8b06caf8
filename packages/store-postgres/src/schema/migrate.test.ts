import { afterAll, expect, it, onTestFinished } from 'vitest';
import { newDatabase, stopServers } from '../../testing/postgres-server.ts';
import { connectTo } from '../database/connections.ts';
import type { Database } from '../database/database.ts';
import { migrate, requireNewestSchema, schemaVersion } from './migrate.ts';
import { newestVersion, SCHEMA } from './migrations.ts';

afterAll(stopServers);

const NEWEST = newestVersion(SCHEMA);

async function empty(): Promise<{ readonly url: string; readonly database: Database }> {
  const url = await newDatabase();
  return { url, database: opened(url) };
}

function opened(url: string): Database {
  const database = connectTo({ url, most: 2, name: 'test' });
  onTestFinished(() => database.close());
  return database;
}

it('creates the newest schema, once, also when several hosts start at the same time', async () => {
  const { url, database } = await empty();
  expect(await schemaVersion(database, 'db')).toBe(0);
  await expect(requireNewestSchema(database, 'db')).rejects.toThrow('start a host once');
  await Promise.all([migrate(database, 'db'), migrate(opened(url), 'db'), migrate(opened(url), 'db')]);
  expect(await schemaVersion(database, 'db')).toBe(NEWEST);
  await requireNewestSchema(database, 'db');
  const rows = await database.rows<{ version: number }>('SELECT version FROM baton_schema ORDER BY version');
  expect(rows.map(({ version }) => version)).toEqual(SCHEMA.migrations.map((_, at) => SCHEMA.first + at));
});

it('refuses the database of another program, and leaves it unchanged', async () => {
  const { database } = await empty();
  await database.run('CREATE TABLE invoices (id integer)');
  await expect(migrate(database, 'db')).rejects.toThrow('has tables of another program');
  expect(await database.rows("SELECT relname FROM pg_class WHERE relname = 'runs'")).toEqual([]);
});

it.each([
  'CREATE TABLE schema_versions (version integer, oldest integer); CREATE TABLE commits (xid bigint)',
  `CREATE TABLE baton_schema (version integer, oldest integer); INSERT INTO baton_schema VALUES (${SCHEMA.first - 1}, 0)`,
])('refuses the database of a development version, and says what to do', async (tables) => {
  const { database } = await empty();
  for (const statement of tables.split('; ')) await database.run(statement);
  await expect(migrate(database, 'db')).rejects.toThrow(
    'db was made by a development version of Baton: start with an empty database',
  );
});

it('lives with a newer schema that allows it, and refuses one that does not', async () => {
  const { database } = await empty();
  const { first, migrations } = SCHEMA;
  const added = { sql: 'CREATE TABLE added (id integer);', oldest: NEWEST };
  await migrate(database, 'db', { first, migrations: [...migrations, added] });
  await migrate(database, 'db');
  await requireNewestSchema(database, 'db');
  const breaking = { sql: 'ALTER TABLE added ADD COLUMN name text;', oldest: NEWEST + 2 };
  await migrate(database, 'db', { first, migrations: [...migrations, added, breaking] });
  await expect(migrate(database, 'db')).rejects.toThrow(`needs a Baton that knows version ${NEWEST + 2}`);
  expect(await database.rows('SELECT id, name FROM added')).toEqual([]);
});
