import pg from 'pg';
import { columnsOf } from '../database/columns.ts';
import { CONNECTION_SETTINGS, queriesOn } from '../database/connections.ts';
import type { Queries } from '../database/database.ts';
import { storeFailure } from '../database/faults.ts';
import { nameOfDatabase } from '../open.ts';
import { copyTable } from './copy-table.ts';
import { requireEmpty } from './empty-target.ts';
import type { MoveSource, SourceRow } from './move-source.ts';
import { movedCommits, movedPositions } from './moved-commits.ts';
import { MOVED_TABLES, type MovedTable } from './moved-tables.ts';
import { type TargetColumn, targetColumns } from './target-columns.ts';

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
    await client.query(`ANALYZE ${MOVED_TABLES.map(({ table }) => table).join(', ')}`);
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
  const columns = await targetColumns(queries);
  await requireEmpty(queries, columns, where);
  requireAllMoved(source);
  let events = 0;
  for (const table of tablesFor(source)) {
    // What the triggers have counted so far is replaced by the counts of the source.
    if (table.table === 'tenant_usage') await queries.run('DELETE FROM tenant_usage');
    await copyTable(queries, source, table, columns, (count) => {
      if (table.table !== 'events') return;
      events += count;
      onEvents(events);
    });
  }
  await moveCommits(queries, source);
  await moveHost(queries, source);
  await continueNumbers(queries, columns);
  return compared(queries, source);
}

/** A table that was added to the other store, and not here, must not be forgotten. */
function requireAllMoved({ tables }: MoveSource): void {
  const known = new Set(MOVED_TABLES.map(({ table }) => table));
  const unknown = [...tables.keys()].find((table) => !known.has(table));
  if (unknown !== undefined) throw new Error(`the table ${unknown} cannot be moved`);
}

/** With the new positions of webhooks. */
function tablesFor(source: MoveSource): readonly MovedTable[] {
  const old = [...source.rows('webhooks')].map(positionOf);
  const positions =
    old.length === 0 ? new Map() : movedPositions(source.lateEvents(), source.signedUpTo, old);
  const position = (row: SourceRow) => positions.get(positionOf(row)) ?? 0;
  return MOVED_TABLES.map((table) => (table.table === 'webhooks' ? { ...table, made: { position } } : table));
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
  for (const { table } of MOVED_TABLES) {
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
