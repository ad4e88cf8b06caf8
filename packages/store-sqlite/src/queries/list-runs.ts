import {
  type Columns,
  cursorAfter,
  type InterruptRecord,
  type ListedRun,
  type Page,
  present,
  type RunQuery,
  type RunReads,
  readCursor,
} from '@baton/engine/ports';
import { isTerminal, MOST_WAITS_LISTED, type RunStatus } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { preparedStatements } from '../database/prepared-statements.ts';
import { snapshots } from '../database/transaction.ts';
import { floorOf, runListing } from './run-listing.ts';
import { type RunColumns, selectRuns, toRunRow } from './run-row.ts';

/** Lists runs, newest first. */
export function runLister(database: Database): Pick<RunReads, 'runs' | 'listedRuns'> {
  const prepared = preparedStatements(database);
  const inSnapshot = snapshots(database);
  const withWaits = waitLister(database);
  const some = database.prepare<RunColumns>(SOME);

  /** The runs with one status, or with any. `reached`: all wanted runs down to this number are among the rows. */
  function stretch(query: RunQuery, before: number, status: RunStatus | undefined) {
    const floor = floorOf(query, before, status);
    const lowest = floor && (prepared<{ runNo: number }>(floor.sql).get(...floor.values)?.runNo ?? 0);
    const { sql, values } = runListing(query, { before, lowest }, status);
    const rows = prepared<RunColumns>(sql).all(...values);
    const reached = rows.length > query.limit ? (rows.at(-1)?.runNo ?? 0) : (lowest ?? 0);
    return { rows, reached };
  }

  return {
    runs: async (query) =>
      inSnapshot(() => {
        const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(query.cursor);
        const found = (query.statuses ?? [undefined]).map((status) => stretch(query, before, status));
        const { items, next } = pageOf(found, query.limit);
        return { items: withWaits(items), ...(next !== undefined && { next }) };
      }),
    listedRuns: async (tenant, runIds) =>
      inSnapshot(() => withWaits(some.all(JSON.stringify(runIds), tenant))),
  };
}

interface Stretch {
  readonly rows: readonly RunColumns[];
  readonly reached: number;
}

/** One page of several stretches. Below the number that all of them have reached, rows may be missing. */
function pageOf(stretches: readonly Stretch[], limit: number): Page<RunColumns> {
  const reached = Math.max(...stretches.map((stretch) => stretch.reached));
  const rows = stretches
    .flatMap((stretch) => stretch.rows)
    .filter((row) => row.runNo >= reached)
    .toSorted((one, other) => other.runNo - one.runNo);
  const last = rows[limit - 1];
  if (rows.length > limit && last !== undefined) {
    return { items: rows.slice(0, limit), next: cursorAfter(last.runNo) };
  }
  return reached > 0 ? { items: rows, next: cursorAfter(reached) } : { items: rows };
}

const SOME = selectRuns('WHERE run.tenant = ?').replace(
  'FROM runs AS run',
  'FROM json_each(?) AS label CROSS JOIN runs AS run ON run.run_id = label.value',
);

/** How many runs of a tree that have not ended are looked at. */
const MOST_RUNS = 1000;

/**
 * Adds to each run the open interrupts of the run and its descendants. Each tree is read once, and only its runs that
 * have not ended.
 */
function waitLister(database: Database): (rows: readonly RunColumns[]) => readonly ListedRun[] {
  const waiting = database.prepare<Columns<InterruptRecord>>(WAITING);

  return (rows) => {
    const trees = new Map<string, readonly InterruptRecord[]>();
    const waitsIn = (rootId: string): readonly InterruptRecord[] => {
      const waits =
        trees.get(rootId) ??
        waiting
          .all(rootId, MOST_RUNS)
          .map((row) => present<InterruptRecord>(row))
          .toSorted(byAge);
      trees.set(rootId, waits);
      return waits;
    };
    return rows.map((row) => {
      const listed = toRunRow(row);
      if (isTerminal(row.status)) return listed;
      const waits = waitsIn(row.rootId).filter(({ runId }) => isWithin(runId, row.runId));
      return waits.length === 0 ? listed : { ...listed, waits: waits.slice(0, MOST_WAITS_LISTED) };
    });
  };
}

/** The id of a descendant begins with the id of the run and a dot. */
function isWithin(runId: string, ancestor: string): boolean {
  return runId.startsWith(ancestor) && (runId.length === ancestor.length || runId[ancestor.length] === '.');
}

function byAge(one: InterruptRecord, other: InterruptRecord): number {
  return one.requestedAt - other.requestedAt;
}

const WAITING = `
  SELECT tree.run_id AS runId, open.interrupt_id AS interruptId, open.node_id AS nodeId, open.kind, open.title,
    open.requested_at AS requestedAt, open.expires_at AS expiresAt
  FROM (
    SELECT live.run_no, live.run_id FROM runs AS live INDEXED BY runs_live
    WHERE live.root_no = (SELECT run_no FROM runs WHERE run_id = ?)
      AND live.status NOT IN ('completed', 'failed', 'cancelled')
    LIMIT ?
  ) AS tree
  CROSS JOIN interrupts AS open ON open.run_no = tree.run_no`;
