import type { RunQuery } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';
import type { Value } from '../database/database.ts';
import { selectRuns } from './run-row.ts';

/** The statements that list runs. Each reads an index that has the order of the page. */

interface ListingStatement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Run numbers: only runs with a number below `before`, and at or above `lowest`. */
interface Bounds {
  readonly before: number;
  readonly lowest?: number | undefined;
}

interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

export function runListing(query: RunQuery, bounds: Bounds, status?: RunStatus): ListingStatement {
  const { index, conditions } = wayTo(query, status);
  const { before, lowest } = bounds;
  const all = [
    ...conditions,
    ...filtersOf(query, status),
    { sql: 'run.run_no < ?', values: [before] },
    ...(lowest === undefined ? [] : [{ sql: 'run.run_no >= ?', values: [lowest] }]),
  ];
  const where = `WHERE ${textOf(all)} ORDER BY run.run_no DESC LIMIT ?`;
  return { sql: selectRuns(where, `INDEXED BY ${index}`), values: [...valuesOf(all), query.limit + 1] };
}

/**
 * Finds the number of the last run that may be looked at. `undefined` when every run that the index finds is wanted, or
 * when the query has no bound. Only the index is read.
 */
export function floorOf(query: RunQuery, before: number, status?: RunStatus): ListingStatement | undefined {
  if (query.within === undefined || filtersOf(query, status).length === 0) return undefined;
  const { index, conditions } = wayTo(query, status);
  const all = [...conditions, { sql: 'run.run_no < ?', values: [before] }];
  const sql = `
  SELECT run.run_no AS runNo FROM runs AS run INDEXED BY ${index}
  WHERE ${textOf(all)} ORDER BY run.run_no DESC LIMIT 1 OFFSET ?`;
  return { sql, values: [...valuesOf(all), Math.max(query.within, query.limit) - 1] };
}

/** The index that finds the fewest runs, and the conditions that it answers. The planner has no statistics. */
function wayTo(query: RunQuery, status: RunStatus | undefined): Way {
  const tenant = { sql: 'run.tenant = ?', values: [query.tenant] };
  if (query.parentRunId !== undefined) {
    const parent = {
      sql: 'run.parent_no = (SELECT run_no FROM runs WHERE run_id = ?)',
      values: [query.parentRunId],
    };
    return { index: 'runs_by_parent', conditions: [parent] };
  }
  if (isRare(status)) {
    const rare = { sql: "run.status = ? AND run.status <> 'completed'", values: [status] };
    return { index: 'runs_by_status', conditions: [tenant, rare] };
  }
  if (query.tag !== undefined) {
    return { index: 'runs_tagged', conditions: [tenant, { sql: 'run.tags IS NOT NULL', values: [] }] };
  }
  return { index: 'runs_by_tenant', conditions: [tenant] };
}

interface Way {
  readonly index: string;
  readonly conditions: readonly Condition[];
}

/** The conditions that are checked for each run that the index finds. */
function filtersOf(query: RunQuery, status: RunStatus | undefined): readonly Condition[] {
  const filters: Condition[] = [];
  const filter = (sql: string, ...values: readonly Value[]) => filters.push({ sql, values });
  const byParent = query.parentRunId !== undefined;
  if (byParent) filter('run.tenant = ?', query.tenant);
  if (status !== undefined && (byParent || !isRare(status))) filter('run.status = ?', status);
  if (query.roots === true) filter('run.parent_no IS NULL');
  if (query.workflowId !== undefined) filter('run.workflow_id = ?', query.workflowId);
  if (query.tag !== undefined) {
    filter('run.tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(run.tags) WHERE value = ?)', query.tag);
  }
  if (query.createdFrom !== undefined) filter('run.created_at >= ?', query.createdFrom);
  if (query.createdBefore !== undefined) filter('run.created_at < ?', query.createdBefore);
  if (query.text !== undefined) {
    const part = query.text.replace(/[\\%_]/g, '\\$&');
    filter(HAS_TEXT, `${part}%`, `%${part}%`, `%${part}%`);
  }
  return filters;
}

/** Most runs are completed, so the index by status leaves completed runs out. */
function isRare(status: RunStatus | undefined): status is Exclude<RunStatus, 'completed'> {
  return status !== undefined && status !== 'completed';
}

const textOf = (conditions: readonly Condition[]) => conditions.map(({ sql }) => sql).join(' AND ');
const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(({ values }) => values);

const HAS_TEXT = `(run.run_id LIKE ? ESCAPE '\\' OR run.workflow_id LIKE ? ESCAPE '\\' OR (run.tags IS NOT NULL
    AND EXISTS (SELECT 1 FROM json_each(run.tags) WHERE value LIKE ? ESCAPE '\\')))`;
