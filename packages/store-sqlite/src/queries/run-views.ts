import type { Hold, RunOverview, RunReads, RunRow, RunView, StoredRun } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { snapshots } from '../database/transaction.ts';
import { type RunColumns, selectRuns, toRunRow } from './run-row.ts';
import { storedRunLoader } from './stored-runs.ts';
import { holdFinder } from './troubled-trees.ts';

/** The answers about one run that consist of several queries. */
export function runViews(
  database: Database,
): Pick<RunReads, 'runOverview' | 'runView' | 'treeView' | 'runFamily'> {
  const ofRun = runReader(database);
  const newestChildren = database.prepare<RunColumns>(NEWEST_CHILDREN);
  const descendants = database.prepare<RunColumns>(DESCENDANTS);
  const load = storedRunLoader(database);
  const holdOf = holdFinder(database);

  function overview(row: RunColumns, children: number): RunOverview {
    const hold: Hold | undefined = isTerminal(row.status) ? undefined : holdOf(row.tenant, row.rootId);
    return {
      row: toRunRow(row),
      children: newestChildren.all(row.runNo, row.tenant, children).map(toRunRow),
      ...(hold && { hold }),
    };
  }

  function view(row: RunColumns, children: number): RunView {
    const stored: StoredRun | undefined = load(row);
    return { ...overview(row, children), ...(stored && { stored }) };
  }

  const below = (row: RunColumns, limit: number): readonly RunRow[] =>
    descendants.all(row.runNo, limit, row.tenant).map(toRunRow);

  return {
    runOverview: async (tenant, runId, children) => ofRun(tenant, runId, (row) => overview(row, children)),
    runView: async (tenant, runId, children) => ofRun(tenant, runId, (row) => view(row, children)),
    treeView: async (tenant, runId, children, limit) =>
      ofRun(tenant, runId, (row) => ({ ...view(row, children), descendants: below(row, limit) })),
    runFamily: async (tenant, runId, limit) =>
      ofRun(tenant, runId, (row) => ({ row: toRunRow(row), descendants: below(row, limit) })),
  };
}

type OfRun = <T>(tenant: string, runId: string, read: (row: RunColumns) => T) => T | undefined;

/** Reads about one run of a tenant. All queries of an answer see the same moment. */
export function runReader(database: Database): OfRun {
  const inSnapshot = snapshots(database);
  const find = database.prepare<RunColumns>(RUN_OF_TENANT);
  return (tenant, runId, read) =>
    inSnapshot(() => {
      const row = find.get(runId, tenant);
      return row && read(row);
    });
}

export const RUN_OF_TENANT = selectRuns('WHERE run.run_id = ? AND run.tenant = ?');

const NEWEST_CHILDREN = selectRuns(
  'WHERE run.parent_no = ? AND run.tenant = ? ORDER BY run.run_no DESC LIMIT ?',
  'INDEXED BY runs_by_parent',
);

/** A run gets its number when it is made, so parents have lower numbers than their children. */
const DESCENDANTS = `
  WITH RECURSIVE below (run_no) AS (
    SELECT run_no FROM runs INDEXED BY runs_by_parent WHERE parent_no = ?
    UNION ALL
    SELECT child.run_no FROM below CROSS JOIN runs AS child INDEXED BY runs_by_parent
      ON child.parent_no = below.run_no
    LIMIT ?
  )
  ${selectRuns('WHERE run.run_no IN (SELECT run_no FROM below) AND run.tenant = ? ORDER BY run.run_no')}`;
