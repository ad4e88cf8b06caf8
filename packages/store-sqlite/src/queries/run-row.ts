import type { RunRow } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';

/** A row of `runs`, joined with the ids of its root and its parent. */
export interface RunColumns {
  readonly runNo: number;
  readonly runId: string;
  readonly rootId: string;
  readonly parentRunId: string | null;
  readonly parentNodeId: string | null;
  readonly tenant: string;
  readonly principal: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly status: RunStatus;
  readonly tags: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly head: number;
  readonly role: RunRow['role'] | null;
  readonly goalMet: number | null;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
  readonly fork: string | null;
  readonly chain: string | null;
  readonly purgedAt: number | null;
  readonly erasedAt: number | null;
  readonly imported: string | null;
}

/** `where` filters the table `run`. The outer joins force the planner to read `run` first. */
export function selectRuns(where: string, index = ''): string {
  return `
  SELECT run.run_no AS runNo, run.run_id AS runId, root.run_id AS rootId, parent.run_id AS parentRunId,
    run.parent_node_id AS parentNodeId, run.tenant, run.principal, run.workflow_id AS workflowId,
    run.workflow_version AS workflowVersion, run.status, run.tags, run.created_at AS createdAt,
    run.updated_at AS updatedAt, run.head, run.role, run.goal_met AS goalMet,
    run.base_no AS baseNo, run.base_seq AS baseSeq, run.fork, run.chain, run.purged_at AS purgedAt,
    run.erased_at AS erasedAt, run.imported
  FROM runs AS run ${index}
  LEFT JOIN runs AS root ON root.run_no = run.root_no
  LEFT JOIN runs AS parent ON parent.run_no = run.parent_no
  ${where}`;
}

export function toRunRow(row: RunColumns): RunRow {
  return {
    runId: row.runId,
    rootId: row.rootId,
    ...(row.parentRunId !== null && { parentRunId: row.parentRunId }),
    ...(row.parentNodeId !== null && { parentNodeId: row.parentNodeId }),
    tenant: row.tenant,
    principal: row.principal,
    workflowId: row.workflowId,
    workflowVersion: row.workflowVersion,
    tags: row.tags === null ? [] : JSON.parse(row.tags),
    createdAt: row.createdAt,
    status: row.status,
    updatedAt: row.updatedAt,
    head: row.head,
    ...(row.role !== null && { role: row.role }),
    ...(row.goalMet !== null && { goalMet: row.goalMet === 1 }),
    ...(row.fork !== null && { fork: JSON.parse(row.fork) }),
    ...(row.imported !== null && { imported: JSON.parse(row.imported) }),
    ...(row.chain !== null && { chain: row.chain }),
    ...(row.purgedAt !== null && { purgedAt: row.purgedAt }),
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
  };
}
