import type { RunStatus } from '@baton/protocol';
import type { RunRow } from '../run-row.ts';
import type { ForkPoint } from '../stored-run.ts';

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
  /** 0 and 1 where a store has no boolean values. */
  readonly goalMet: number | boolean | null;
  readonly listed: string | null;
  readonly baseNo: number | null;
  readonly baseSeq: number | null;
  readonly fork: string | null;
  readonly chain: string | null;
  readonly purgedAt: number | null;
  readonly erasedAt: number | null;
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
    ...(row.goalMet !== null && { goalMet: Boolean(row.goalMet) }),
    ...(row.listed !== null && { listed: JSON.parse(row.listed) }),
    ...(row.fork !== null && { fork: JSON.parse(row.fork) }),
    ...(row.chain !== null && { chain: row.chain }),
    ...(row.purgedAt !== null && { purgedAt: row.purgedAt }),
    ...(row.erasedAt !== null && { erasedAt: row.erasedAt }),
  };
}

/** Where the log of a fork continues that of its source. Undefined for a run that is no fork. */
export function forkPoint({ runId, parentRunId, createdAt, fork }: RunColumns): ForkPoint | undefined {
  if (fork === null) return undefined;
  return { runId, ...(parentRunId !== null && { parentRunId }), createdAt, fork: JSON.parse(fork) };
}
