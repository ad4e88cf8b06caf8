import { onTestFinished } from 'vitest';
import { connectTo } from '../src/database/connections.ts';
import type { Database, Queries } from '../src/database/database.ts';
import { migrate } from '../src/schema/migrate.ts';
import { emptyDatabase } from './postgres-server.ts';

/** Rows for tests about several hosts, written without a store. */

export async function openExample(): Promise<Database & { readonly url: string }> {
  const { url, giveBack } = await emptyDatabase(18, prepareExample);
  const database = connectTo({ url, most: 8, name: 'test' });
  onTestFinished(async () => {
    await database.close();
    await giveBack();
  });
  return { ...database, url };
}

export async function prepareExample(url: string): Promise<void> {
  const database = connectTo({ url, most: 1, name: 'test' });
  await migrate(database, url).finally(() => database.close());
}

/** A host that is at work. */
export async function addHost(queries: Queries, hostNo: number): Promise<void> {
  await queries.run(
    `INSERT INTO hosts (host_no, name, version) OVERRIDING SYSTEM VALUE VALUES ($1, 'host', '1')`,
    hostNo,
  );
}

export async function removeHost(queries: Queries, hostNo: number): Promise<void> {
  await queries.run('DELETE FROM hosts WHERE host_no = $1', hostNo);
}

interface ExampleRun {
  readonly wakeAt?: number;
  readonly unfinished?: boolean;
  readonly keeper?: number;
  readonly head?: number;
}

/** A root run. Its number is also its id. */
export async function addRun(queries: Queries, runNo: number, run: ExampleRun = {}): Promise<void> {
  const { wakeAt = null, unfinished = false, keeper = null, head = 0 } = run;
  await queries.run(
    `INSERT INTO runs (run_no, run_id, root_no, tenant, principal, workflow_id, workflow_version, status, created_at,
       updated_at, head, wake_at, unfinished, keeper, places)
     VALUES ($1, 'run ' || $1::bigint, $1, 'acme', 'ada', 'w', 1, 'running', 1, 1, $2, $3, $4, $5, 0)`,
    runNo,
    head,
    wakeAt,
    unfinished,
    keeper,
  );
}

/** Appends events to a run, as a transaction of slices does. */
export async function addEvents(
  queries: Queries,
  runNo: number,
  first: number,
  count: number,
): Promise<void> {
  await queries.run(
    `INSERT INTO events (run_no, seq, place, step_rest, data)
     SELECT $1, seq, seq, 0, '{"type":"test"}' FROM generate_series($2::bigint, $2::bigint + $3::bigint - 1) AS seq`,
    runNo,
    first,
    count,
  );
  await queries.run(
    `INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts)
     SELECT pg_current_xact_id()::text::bigint + xid_offset, 1, pg_current_xact_id()::text::bigint,
       ARRAY[$1::bigint], ARRAY[$2::bigint], ARRAY[$3::integer] FROM host`,
    runNo,
    first,
    count,
  );
}

/** Begins a transaction that stays open until it is told to end. */
export async function openTransaction(
  database: Database,
  work: (queries: Queries) => Promise<void>,
): Promise<{ commit(): Promise<void>; rollBack(): Promise<void> }> {
  let end: (how: 'commit' | 'roll back') => void = () => undefined;
  const ending = new Promise<'commit' | 'roll back'>((resolve) => {
    end = resolve;
  });
  let began: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => {
    began = resolve;
  });
  const ended = database
    .transaction(async (queries) => {
      await work(queries);
      began();
      if ((await ending) === 'roll back') throw new RolledBack();
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  await Promise.race([beginning, ended]);
  return {
    async commit() {
      end('commit');
      await ended;
    },
    async rollBack() {
      end('roll back');
      await ended;
    },
  };
}

class RolledBack extends Error {}
