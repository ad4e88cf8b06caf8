import { join } from 'node:path';
import { moveStorage } from '@baton/server/move-storage';
import { openSqliteStore } from '@baton/store-sqlite';
import Database from 'better-sqlite3';
import { afterAll, expect, it } from 'vitest';
import { newDatabase, stopServers } from '../../packages/store-postgres/testing/postgres-server.ts';
import { ask, folderFor } from './kit.ts';

/** Every table, filled with rows that differ in every column, arrives as it was. */

afterAll(stopServers);

interface Column {
  readonly name: string;
  readonly type: 'TEXT' | 'INTEGER';
  readonly notnull: number;
}

type Row = Record<string, string | number | null>;

const TABLES = `
  SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'entry_words%'
    AND name <> 'host'`;

/** Columns that hold truth values, which Postgres has a type for. */
const TRUTHS = new Set([
  'unfinished',
  'goal_met',
  'arriving',
  'shared',
  'deleted',
  'starts',
  'indexed',
  'letter',
]);
const ROWS = 3;

/** Rows have a value in every column, and the last one has none where that is allowed. */
function valueFor(table: string, { name, type, notnull }: Column, at: number): string | number | null {
  if (at === ROWS && notnull === 0 && !name.endsWith('_no') && name !== 'number') return null;
  if (table === 'audit_progress') return 1;
  // Triggers look for the definition of a workflow.
  if (name === 'digest') return `digest ${at}`;
  if (TRUTHS.has(name)) return at % 2;
  if (type === 'INTEGER') return name === 'head' ? 3 : at * 1000 + name.length;
  const isMemory = table === 'entries' ? name === 'id' || name === 'content' : name === 'tag';
  return `${table} ${name} ${at} – ünï🧑${isMemory ? '\0nul' : '\u0001'}`;
}

/** Fills the tables of an empty data folder. */
function fill(folder: string): Map<string, Row[]> {
  const database = new Database(join(folder, 'baton.db'));
  const filled = new Map<string, Row[]>();
  for (const name of database.prepare<[], string>(TABLES).pluck().all()) {
    const columns = database.prepare<[string], Column>('SELECT * FROM pragma_table_info(?)').all(name);
    const rows = Array.from({ length: name === 'audit_progress' ? 1 : ROWS }, (_, index) =>
      Object.fromEntries(columns.map((column) => [column.name, valueFor(name, column, index + 1)])),
    );
    database.exec(`DELETE FROM ${name === 'audit_progress' ? name : 'tenant_usage'}`);
    const slots = columns.map((column) => `@${column.name}`).join(', ');
    const insert = database.prepare(`INSERT INTO ${name} VALUES (${slots})`);
    for (const row of rows) insert.run(row);
    filled.set(name, rows);
  }
  // Triggers have counted meanwhile.
  database.exec('DELETE FROM tenant_usage');
  for (const row of filled.get('tenant_usage') ?? [])
    database.prepare('INSERT INTO tenant_usage VALUES (@tenant, @bytes)').run(row);
  database.close();
  return filled;
}

/** A row of Postgres in the form of SQLite. */
function asBefore(row: Record<string, unknown>): Row {
  const value = (given: unknown): string | number | null => {
    if (Buffer.isBuffer(given)) return given.toString();
    if (typeof given === 'boolean') return given ? 1 : 0;
    return typeof given === 'string' && /^\d+$/.test(given)
      ? Number(given)
      : (given as string | number | null);
  };
  return Object.fromEntries(Object.entries(row).map(([name, given]) => [name, value(given)]));
}

const HERE_ONLY = new Set(['pos', 'indexed', 'only']);

it('moves every row of every table', { timeout: 120_000 }, async () => {
  const folder = folderFor('rows');
  await openSqliteStore(folder).close();
  const filled = fill(folder);
  const url = await newDatabase();
  const counts = await moveStorage({ kind: 'sqlite', folder }, { kind: 'postgres', url });
  expect(Object.keys(counts).toSorted()).toEqual([...filled.keys()].toSorted());

  for (const [table, rows] of filled) {
    const stored = (await ask(url, `SELECT * FROM ${table}`)).map(asBefore);
    const names = Object.keys(rows[0]!).filter((name) => !HERE_ONLY.has(name) && name !== 'position');
    const pick = (row: Row) => names.map((name) => `${name}=${String(row[name])}`).join('\n');
    expect(stored.map(pick).toSorted(), table).toEqual(rows.map(pick).toSorted());
    expect(counts[table]).toBe(rows.length);
  }
});

it('goes on with numbers after those that were moved', { timeout: 120_000 }, async () => {
  const folder = folderFor('rows');
  await openSqliteStore(folder).close();
  fill(folder);
  const url = await newDatabase();
  await moveStorage({ kind: 'sqlite', folder }, { kind: 'postgres', url });
  const [{ next }] = await ask(url, "SELECT nextval('run_numbers')::int AS next");
  const [{ newest }] = await ask(url, 'SELECT max(run_no)::int AS newest FROM runs');
  expect(next).toBe(newest + 1);
  for (const [table, column] of [
    ['interrupts', 'interrupt_no'],
    ['api_keys', 'key_no'],
    ['scopes', 'scope_no'],
    ['entries', 'entry_no'],
    ['webhooks', 'webhook_no'],
    ['webhook_deliveries', 'delivery_no'],
  ] as const) {
    const sequence = `nextval(pg_get_serial_sequence('${table}', '${column}'))`;
    const [row] = await ask(url, `SELECT ${sequence} > max(${column}) AS later FROM ${table}`);
    expect(row.later, table).toBe(true);
  }
});

it('moves the words of memory for entries that have an index, and the id and the keys of the host', {
  timeout: 120_000,
}, async () => {
  const folder = folderFor('rows');
  await openSqliteStore(folder).close();
  const rows = fill(folder).get('entries') ?? [];
  const database = new Database(join(folder, 'baton.db'));
  const hostId = database.prepare<[], string>('SELECT id FROM host').pluck().get();
  database.close();
  const url = await newDatabase();
  await moveStorage({ kind: 'sqlite', folder }, { kind: 'postgres', url });
  const [{ id }] = await ask(url, 'SELECT id FROM host');
  expect(id).toBe(hostId);
  for (const { entry_no, scope_no, indexed } of rows) {
    const find = `SELECT words @@ '''${scope_no}:uni'' & ''${scope_no}:nul''' AS found FROM entries WHERE entry_no = $1`;
    const [row] = await ask(url, find, [entry_no]);
    expect(row.found).toBe(indexed === 1 ? true : null);
  }
});
