import pg from 'pg';
import { columnsOf } from '../database/columns.ts';
import { CONNECTION_SETTINGS, queriesOn } from '../database/connections.ts';
import type { Queries } from '../database/database.ts';
import { storeFailure } from '../database/faults.ts';
import { nameOfDatabase } from '../open.ts';
import { copyTable, type TargetColumn } from './copy-table.ts';
import type { MoveSource, SourceRow } from './move-source.ts';
import { movedCommits, movedPositions } from './moved-commits.ts';
import { inOrder, MADE } from './moved-tables.ts';

/** How many rows each table got. */
type MovedCounts = Readonly<Record<string, number>>;

/** A move takes as long as it takes, and waits for the other store in between. */
const PATIENCE = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 } as const;

/**
 * Copies everything of another store into an empty database, after `prepareDatabase`. It is one transaction: a move that
 * fails leaves the database empty. `onEvents` is told how many events were sent so far.
 */
export async function moveInto(
  url: string,
  source: MoveSource,
  onEvents: (count: number) => void,
): Promise<MovedCounts> {
  const settings = { ...CONNECTION_SETTINGS, ...PATIENCE };
  const client = new pg.Client({ ...settings, connectionString: url, application_name: 'baton move' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('BEGIN');
    const queries = queriesOn(client);
    const counts = await moved(queries, source, nameOfDatabase(url), onEvents);
    await client.query('COMMIT');
    // Otherwise the first hosts would plan their statements for empty tables.
    await client.query(`ANALYZE ${[...source.tables.keys()].join(', ')}`);
    return counts;
  } catch (error) {
    throw storeFailure(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function moved(
  queries: Queries,
  source: MoveSource,
  where: string,
  onEvents: (count: number) => void,
): Promise<MovedCounts> {
  const columns = await queries.rows<TargetColumn>(COLUMNS);
  await requireEmpty(queries, columns, where);
  const made = { ...MADE, 'webhooks.position': newPositions(source) };
  let events = 0;
  for (const table of inOrder(source.tables.keys())) {
    // What the triggers have counted so far is replaced by the counts of the source.
    if (table === 'tenant_usage') await queries.run('DELETE FROM tenant_usage');
    await copyTable(queries, source, table, columns, made, (count) => {
      if (table !== 'events') return;
      events += count;
      onEvents(events);
    });
  }
  await moveCommits(queries, source);
  await moveHost(queries, source);
  await continueNumbers(queries, columns);
  return compared(queries, source);
}

/** Where each webhook goes on. */
function newPositions(source: MoveSource): (row: SourceRow) => number {
  const old = [...source.rows('webhooks')].map(positionOf);
  const positions =
    old.length === 0 ? new Map() : movedPositions(source.lateEvents(), source.signedUpTo, old);
  return (row) => positions.get(positionOf(row)) ?? 0;
}

function positionOf({ position }: SourceRow): number {
  return Number(position);
}

/** Their numbers are lower than those of all transactions, to whose numbers the offset is added. */
async function moveCommits(queries: Queries, source: MoveSource): Promise<void> {
  let newest = 0;
  for (const { xid, signed, stretches } of movedCommits(source.lateEvents(), source.signedUpTo)) {
    const { bigint, integer } = columnsOf(stretches);
    await queries.run(
      ADD_COMMIT,
      xid,
      bigint('run', ({ runNo }) => runNo),
      bigint('sequence', ({ first }) => first),
      integer('number of events', ({ count }) => count),
      signed,
    );
    newest = xid;
  }
  await queries.run('UPDATE host SET xid_offset = greatest(xid_offset, $1)', newest);
}

async function moveHost(queries: Queries, { hostId, keys, endedSessions }: MoveSource): Promise<void> {
  await queries.run('UPDATE host SET id = $1', hostId);
  for (const { name, text } of keys)
    await queries.run('INSERT INTO host_keys (name, text) VALUES ($1, $2)', name, text);
  for (const { id, until } of endedSessions)
    await queries.run(
      'INSERT INTO ended_sessions (id, until) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      id,
      until,
    );
}

/** New rows get numbers after those of the moved ones. */
async function continueNumbers(queries: Queries, columns: readonly TargetColumn[]): Promise<void> {
  for (const { table, name, isIdentity } of columns) {
    if (!isIdentity) continue;
    await queries.row(
      `SELECT setval(pg_get_serial_sequence('${table}', '${name}'), max(${name})) FROM ${table} HAVING count(*) > 0`,
    );
  }
  // The sequence names the first number of a block.
  await queries.row("SELECT setval('run_numbers', max(run_no) + 1, false) FROM runs HAVING count(*) > 0");
}

async function compared(queries: Queries, source: MoveSource): Promise<MovedCounts> {
  const counts: Record<string, number> = {};
  for (const table of source.tables.keys()) {
    const expected = source.count(table);
    const { count } = (await queries.row<{ count: number }>(`SELECT count(*) FROM ${table}`)) ?? { count: 0 };
    if (count !== expected)
      throw new Error(`${table} has ${count} rows in Postgres, but ${expected} in the data folder`);
    counts[table] = count;
  }
  return counts;
}

const ADD_COMMIT = `
  INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts, signed)
  VALUES ($1, 0, $1, $2::bigint[], $3::bigint[], $4::integer[], $5)`;

const COLUMNS = `
  SELECT pg_class.relname AS "table", attname AS name, format_type(atttypid, NULL) AS type,
    attidentity <> '' AS "isIdentity"
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;

/** What a host puts into a new database, in the words of an operator. The first one that is there is told. */
const TOLD: readonly (readonly [table: string, one: string])[] = [
  ['runs', 'run'],
  ['workflows', 'workflow'],
  ['api_keys', 'key'],
];

/** These have rows also in a new database. */
const NEVER_EMPTY = ['baton_schema', 'host'];

/** Refuses a database that holds anything. Hosts cannot begin to use it before the transaction ends. */
async function requireEmpty(
  queries: Queries,
  columns: readonly TargetColumn[],
  where: string,
): Promise<void> {
  await queries.run(LOCK);
  const tables = [...new Set(columns.map(({ table }) => table))].filter(
    (table) => !NEVER_EMPTY.includes(table),
  );
  const filled: string[] = [];
  for (const table of tables) {
    if ((await queries.row(`SELECT 1 FROM ${table} LIMIT 1`)) !== undefined) filled.push(table);
  }
  if (filled.length === 0) return;
  const found: string[] = [];
  for (const [table, one] of TOLD) {
    const count = (await queries.row<{ count: number }>(`SELECT count(*) FROM ${table}`))?.count ?? 0;
    if (count > 0) found.push(`${count} ${one}${count === 1 ? '' : 's'}`);
  }
  const what = found.length > 0 ? found.join(', ') : `rows in ${filled.join(', ')}`;
  throw new Error(
    `${where} is not empty: it has ${what}. Data can only be moved into a database that no host has used: ` +
      'create a new one (CREATE DATABASE), and name it with --to',
  );
}

/** A host that starts writes to all of them. Nobody waits for those that only read. */
const LOCK = 'LOCK TABLE hosts, host_keys, runs, workflows, api_keys IN EXCLUSIVE MODE';
