import type { Slice, StoreChange } from '@baton/engine/ports';
import { columnsOf } from '../database/columns.ts';
import type { Database, Queries } from '../database/database.ts';
import type { Self } from '../self.ts';
import { type Statement, statement } from './statement.ts';

/** Tells other hosts, when the transaction is committed, what it has changed. At most once in a transaction. */
export async function tellChanges(
  queries: Queries,
  self: Self,
  changes: readonly StoreChange[],
): Promise<void> {
  await queries.row(TELL, self.hostNo, self.nextNumber(), JSON.stringify(changes));
}

/** Changes rows by one statement, and tells other hosts unless there was nothing to change. */
export function changeAndTell(
  database: Database,
  self: Self,
  change: StoreChange,
  ...[sql, ...values]: Parameters<Queries['run']>
): Promise<boolean> {
  return database.transaction(async (queries) => {
    if ((await queries.run(sql, ...values)) === 0) return false;
    await tellChanges(queries, self, [change]);
    return true;
  });
}

/** A stretch of the log of a run that a transaction stores. */
export interface Stretch {
  readonly runNo: number;
  /** The sequence of its first event. */
  readonly first: number;
  readonly count: number;
}

/** What a transaction of slices leaves in `commits`. */
export interface Commit {
  /** The number of the transaction among those of this host. */
  readonly number: number;
  readonly stretches: readonly Stretch[];
  readonly changes: readonly StoreChange[];
}

/**
 * Every transaction of slices has a row, by which its host can find out whether it was committed. It fails if there is
 * one with this number. A checkpoint has nothing to sign in a transaction without events.
 */
export function writeCommit(self: Self, commit: Commit): Statement {
  const changes = commit.changes.length === 0 ? null : JSON.stringify(commit.changes);
  return statement(WRITE, self.hostNo, commit.number, ...columnsOfStretches(commit.stretches), changes);
}

export function columnsOfStretches(stretches: readonly Stretch[]): readonly Buffer[] {
  const { bigint, integer } = columnsOf(stretches);
  return [
    bigint('run', ({ runNo }) => runNo),
    bigint('sequence', ({ first }) => first),
    integer('number of events', ({ count }) => count),
  ];
}

/**
 * Tells the other hosts of a commit. This is done behind the COMMIT: within the transaction, Postgres would hold a lock
 * until the commit is on the disk, and the commits of all hosts would wait for each other.
 */
export async function tellCommit(queries: Queries, self: Self, commit: Commit): Promise<void> {
  if (commit.stretches.length === 0 && commit.changes.length === 0) return;
  await queries.row(NOTIFY, `${self.hostNo} ${commit.number}`);
}

/** What slices change beside runs, for the caches of other hosts. */
export function changesIn(slices: readonly Slice[]): readonly StoreChange[] {
  return slices.flatMap(({ memory = [], cancels = [] }) => [
    ...memory.map(({ tenant, scope }) => ({ kind: 'scope', tenant, scope }) as const),
    ...cancels.map(({ runId }) => ({ kind: 'remote-cancel', runId }) as const),
  ]);
}

/** A notice is a transaction too, but nothing of it has to be on the disk. So the next commit need not wait for that. */
const NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify('baton', $1)";

const XID = 'pg_current_xact_id()::text::bigint + host.xid_offset';

const TELL = `
  WITH told AS (
    INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts, changed, signed)
    SELECT ${XID}, $1, $2, '{}', '{}', '{}', $3, true FROM host
    RETURNING host_no, n
  )
  SELECT pg_notify('baton', host_no || ' ' || n) FROM told`;

const WRITE = `
  INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts, changed, signed)
  SELECT ${XID}, $1, $2, $3::bigint[], $4::bigint[], $5::integer[], $6, cardinality($3::bigint[]) = 0 FROM host`;
