import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Database, Queries, Value } from './database.ts';
import { failureAfterTries, isRepeatable, isUnavailable, storeFailure } from './faults.ts';

/** A statement or a transaction is repeated this many times before its error counts. */
const TRIES = 20;

const INT8 = 20;
const NUMERIC = 1700;

/** `bigint` and `numeric` (sums) as numbers: all of ours are below 2^53. */
const NUMBERS_AS_NUMBERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (oid === INT8 || oid === NUMERIC) && format !== 'binary'
      ? Number
      : (pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown)(oid, format),
};

/**
 * How long a statement may take. An answer that takes longer than Postgres gives the statement never comes: the
 * connection has gone silent, and is given up.
 */
function timesOf(seconds: number) {
  return { statement_timeout: seconds * 1000, query_timeout: (seconds + 2) * 1000 };
}

/** For statements that find a few rows by their keys. A silent connection is noticed the sooner. */
export const SHORT_STATEMENTS = timesOf(8);

/**
 * Settings of every connection. A host that hangs in a transaction must not stop the others, and a connection that is
 * half open must be noticed.
 */
export const CONNECTION_SETTINGS = {
  types: NUMBERS_AS_NUMBERS,
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 1000,
  connectionTimeoutMillis: 5000,
  idle_in_transaction_session_timeout: 5000,
  lock_timeout: 2000,
  ...timesOf(30),
  // Recursive queries look expensive, and to compile one takes seconds.
  // Every statement has an index. In a small or new database Postgres has no statistics, reads whole tables, and keeps
  // that plan for a prepared statement when the tables have grown.
  options: '-c jit=off -c enable_seqscan=off',
} as const;

interface ConnectionOptions {
  readonly url: string;
  readonly most: number;
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  readonly times?: typeof SHORT_STATEMENTS;
}

export function connectTo({ url, most, name, times }: ConnectionOptions): Database {
  const pool = new pg.Pool({
    ...CONNECTION_SETTINGS,
    ...times,
    connectionString: url,
    max: most,
    application_name: name,
    idleTimeoutMillis: 30_000,
  });
  // A connection that is lost while it is not used is replaced by the next use.
  pool.on('error', () => undefined);
  // One that is lost in use fails its statements. Without a listener, Node would also end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));

  async function within<T>(begin: string, work: (queries: Queries) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      const begun = client.query(begin);
      begun.catch(() => undefined);
      const result = await work(queriesOn(client));
      await begun;
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // A connection that was lost or has gone silent would not answer a ROLLBACK either.
      if (isUnavailable(error)) client.release(true);
      else
        await client.query('ROLLBACK').then(
          () => client.release(),
          (problem: Error) => client.release(problem),
        );
      throw error;
    }
  }

  async function repeated<T>(once: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await once();
      } catch (error) {
        if (tries < TRIES && isRepeatable(error)) continue;
        throw failureAfterTries(error);
      }
    }
  }

  const { rows, row, run } = queriesOn(pool);
  return {
    rows: (sql, ...values) => repeated(() => rows(sql, ...values)),
    row: (sql, ...values) => repeated(() => row(sql, ...values)),
    run: (sql, ...values) => repeated(() => run(sql, ...values)),
    transaction: (work) => repeated(() => within('BEGIN', work)),
    snapshot: (work) => repeated(() => within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)),
    close: () => pool.end(),
  };
}

type Sends = Pick<pg.Pool, 'query'> | Pick<pg.PoolClient, 'query'>;

const names = new Map<string, string>();

/** The name under which a statement is prepared. Names are cut by Postgres after 63 bytes. */
function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(sql).digest('base64url').slice(0, 24);
  names.set(sql, name);
  return name;
}

/**
 * A text of Postgres cannot hold U+0000. The texts of events have it as an escape, and memory is stored as bytes; in
 * other columns, and in what is searched for, U+FFFD takes its place.
 */
function withoutNul(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

export function queriesOn(sender: Sends): Queries {
  async function ask<Row>(
    text: string,
    values: readonly Value[],
  ): Promise<pg.QueryResult<Row & pg.QueryResultRow>> {
    try {
      return await (sender as pg.PoolClient).query<Row & pg.QueryResultRow>({
        text,
        name: nameOf(text),
        values: values.map(withoutNul),
      });
    } catch (error) {
      throw storeFailure(error);
    }
  }
  return {
    rows: async <Row>(sql: string, ...values: readonly Value[]) => (await ask<Row>(sql, values)).rows,
    row: async <Row>(sql: string, ...values: readonly Value[]) => (await ask<Row>(sql, values)).rows[0],
    run: async (sql, ...values) => (await ask(sql, values)).rowCount ?? 0,
  };
}
