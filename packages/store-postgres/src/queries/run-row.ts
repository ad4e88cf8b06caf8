export { type RunColumns, toRunRow } from '@baton/engine/ports';

/** The columns of the table `run`, with the ids of its root and its parent. */
export const RUN_COLUMNS = `
    run.run_no AS "runNo", run.run_id AS "runId", root.run_id AS "rootId", parent.run_id AS "parentRunId",
    run.parent_node_id AS "parentNodeId", run.tenant, run.principal, run.workflow_id AS "workflowId",
    run.workflow_version AS "workflowVersion", run.status, run.tags, run.created_at AS "createdAt",
    run.updated_at AS "updatedAt", run.head, run.role, run.goal_met AS "goalMet", run.listed,
    run.base_no AS "baseNo", run.base_seq AS "baseSeq", run.fork, run.chain, run.purged_at AS "purgedAt",
    run.erased_at AS "erasedAt"`;

/** The tables that `RUN_COLUMNS` needs beside `run`. */
export const RUN_TABLES = `
  LEFT JOIN runs AS root ON root.run_no = run.root_no
  LEFT JOIN runs AS parent ON parent.run_no = run.parent_no`;

/** `where` filters the table `run`. */
export function selectRuns(where: string): string {
  return `SELECT ${RUN_COLUMNS} FROM runs AS run ${RUN_TABLES} ${where}`;
}
