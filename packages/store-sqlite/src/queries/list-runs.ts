import { type RunQuery, type RunReads, readCursor, toPage } from '@baton/engine/ports';
import type { Database, Statement, Value } from '../database/database.ts';
import { type RunColumns, selectRuns, toRunRow } from './run-row.ts';

/** Lists runs, newest first. A statement is prepared for each combination of filters at its first use. */
export function runLister(database: Database): RunReads['runs'] {
  const prepared = new Map<string, Statement<RunColumns>>();
  return async (query) => {
    const { sql, values } = runListing(query);
    let statement = prepared.get(sql);
    if (statement === undefined) {
      statement = database.prepare<RunColumns>(sql);
      prepared.set(sql, statement);
    }
    return toPage(statement.all(...values), query.limit, toRunRow, (row) => row.runNo);
  };
}

export function runListing(query: RunQuery): { readonly sql: string; readonly values: readonly Value[] } {
  const conditions = ['run.tenant = ?'];
  const values: Value[] = [query.tenant];
  const filter = (condition: string, ...more: readonly Value[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  if (query.parentRunId !== undefined) {
    filter('run.parent_no = (SELECT run_no FROM runs WHERE run_id = ?)', query.parentRunId);
  }
  if (query.status !== undefined) filter('run.status = ?', query.status);
  if (isRare(query.status)) filter("run.status <> 'completed'");
  if (query.workflowId !== undefined) filter('run.workflow_id = ?', query.workflowId);
  if (query.tag !== undefined) {
    filter('run.tags IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(run.tags) WHERE value = ?)', query.tag);
  }
  if (query.cursor !== undefined) filter('run.run_no < ?', readCursor(query.cursor));
  const where = `WHERE ${conditions.join(' AND ')} ORDER BY run.run_no DESC LIMIT ?`;
  return { sql: selectRuns(where, `INDEXED BY ${indexFor(query)}`), values: [...values, query.limit + 1] };
}

/** Each of these indexes has the order of the page. The planner has no statistics to choose by. */
function indexFor(query: RunQuery): string {
  if (query.parentRunId !== undefined) return 'runs_by_parent';
  if (isRare(query.status)) return 'runs_by_status';
  if (query.tag !== undefined) return 'runs_tagged';
  return 'runs_by_tenant';
}

/** Most runs are completed, so the index by status leaves completed runs out. */
function isRare(status: RunQuery['status']): boolean {
  return status !== undefined && status !== 'completed';
}
