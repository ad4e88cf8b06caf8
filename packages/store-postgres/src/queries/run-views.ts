import type { HoldReason, RunOverview, RunReads, RunRow } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Database, Queries } from '../database/database.ts';
import { RUN_COLUMNS, RUN_TABLES, type RunColumns, toRunRow } from './run-row.ts';
import { storedRunLoader } from './stored-runs.ts';

type RunViews = Pick<RunReads, 'runOverview' | 'runView' | 'treeView' | 'runFamily'>;

interface OverviewColumns extends RunColumns {
  readonly heldAt: number | null;
  readonly holdReason: HoldReason | null;
}

/**
 * The answers about one run that have several parts. All parts of an answer are of the same moment. The statements of an
 * answer do not wait for each other.
 */
export function runViews(database: Database): RunViews {
  return {
    runOverview: (tenant, runId, children) => overview(database, tenant, runId, children),
    runView: (tenant, runId, children) =>
      database.snapshot(async (queries) => {
        const [seen, stored] = await Promise.all([
          overview(queries, tenant, runId, children),
          storedRunLoader(queries)(runId, undefined, tenant),
        ]);
        return seen && { ...seen, ...(stored && { stored }) };
      }),
    treeView: (tenant, runId, children, limit) =>
      database.snapshot(async (queries) => {
        const [seen, stored, descendants] = await Promise.all([
          overview(queries, tenant, runId, children),
          storedRunLoader(queries)(runId, undefined, tenant),
          below(queries, tenant, runId, limit),
        ]);
        return seen && { ...seen, ...(stored && { stored }), descendants };
      }),
    runFamily: (tenant, runId, limit) =>
      database.snapshot(async (queries) => {
        const [seen, descendants] = await Promise.all([
          overview(queries, tenant, runId, 0),
          below(queries, tenant, runId, limit),
        ]);
        return seen && { row: seen.row, descendants };
      }),
  };
}

async function overview(
  queries: Queries,
  tenant: string,
  runId: string,
  children: number,
): Promise<RunOverview | undefined> {
  const rows = await queries.rows<OverviewColumns>(OVERVIEW, tenant, runId, children);
  const row = rows.find((one) => one.runId === runId);
  if (row === undefined) return undefined;
  const { heldAt, holdReason, status } = row;
  const isHeld = heldAt !== null && holdReason !== null && !isTerminal(status);
  return {
    row: toRunRow(row),
    children: rows.filter((one) => one !== row).map(toRunRow),
    ...(isHeld && { hold: { at: heldAt, reason: holdReason } }),
  };
}

async function below(
  queries: Queries,
  tenant: string,
  runId: string,
  limit: number,
): Promise<readonly RunRow[]> {
  return (await queries.rows<RunColumns>(DESCENDANTS, tenant, runId, limit)).map(toRunRow);
}

/** The run and its newest children, the newest first. */
const OVERVIEW = `
  WITH asked AS MATERIALIZED (SELECT run_no FROM runs WHERE tenant = $1 AND run_id = $2),
  children AS MATERIALIZED (
    SELECT run_no FROM runs WHERE parent_no = (SELECT run_no FROM asked) AND tenant = $1
    ORDER BY run_no DESC LIMIT $3
  )
  SELECT ${RUN_COLUMNS}, tree.held_at AS "heldAt", tree.reason AS "holdReason"
  FROM (SELECT run_no FROM asked UNION ALL SELECT run_no FROM children) AS seen
  JOIN runs AS run ON run.run_no = seen.run_no ${RUN_TABLES}
  LEFT JOIN troubled_trees AS tree ON tree.root_no = run.root_no AND tree.held_at IS NOT NULL
  ORDER BY run.run_no DESC`;

/**
 * A run gets its number when it is made, so parents have lower numbers than their children. Postgres looks for no more
 * runs than the limit asks for.
 */
const DESCENDANTS = `
  WITH RECURSIVE below (run_no) AS (
    SELECT run_no FROM runs WHERE parent_no = (SELECT run_no FROM runs WHERE tenant = $1 AND run_id = $2)
    UNION ALL
    SELECT child.run_no FROM below JOIN runs AS child ON child.parent_no = below.run_no
  ), found AS MATERIALIZED (SELECT run_no FROM below LIMIT $3)
  SELECT ${RUN_COLUMNS} FROM found JOIN runs AS run ON run.run_no = found.run_no ${RUN_TABLES}
  WHERE run.tenant = $1 ORDER BY run.run_no`;
