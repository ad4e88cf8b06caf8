import { cursorAfter, type RunReads, readCursor } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { runListing } from './run-listing.ts';
import { type ListedColumns, selectListed, toListedRun, waitsIn } from './waits-of-runs.ts';

type PageColumns =
  | ({ readonly reached: number } & ListedColumns)
  | { readonly reached: number; readonly runNo: null };

/** Lists runs, newest first. */
export function runLister(database: Database): Pick<RunReads, 'runs' | 'listedRuns'> {
  return {
    async runs(query) {
      const before = query.cursor === undefined ? Number.MAX_SAFE_INTEGER : readCursor(query.cursor);
      const { sql, values } = runListing(query, before);
      const rows = await database.rows<PageColumns>(sql, ...values);
      const found = rows.filter((row) => row.runNo !== null);
      const items = found.slice(0, query.limit).map(toListedRun);
      const last = found[query.limit - 1];
      const reached = rows[0]?.reached ?? 0;
      if (found.length > query.limit && last !== undefined) return { items, next: cursorAfter(last.runNo) };
      return reached > 0 ? { items, next: cursorAfter(reached) } : { items };
    },
    async listedRuns(tenant, runIds) {
      const rows = await database.rows<ListedColumns>(SOME, tenant, runIds);
      return rows.map(toListedRun);
    },
  };
}

const SOME = `
  WITH page AS MATERIALIZED (SELECT run_no FROM runs WHERE tenant = $1 AND run_id = ANY($2::text[])),
  ${waitsIn('page')}
  ${selectListed('page')}`;
