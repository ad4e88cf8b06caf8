import { cursorAfter, type Page, type RunQuery, type RunReads, readCursor } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { preparedStatements } from '../database/prepared-statements.ts';
import { snapshots } from '../database/transaction.ts';
import { floorOf, runListing } from './run-listing.ts';
import { type RunColumns, selectRuns } from './run-row.ts';
import { waitLister } from './waits-of-runs.ts';

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
