import { hideSealed } from '@baton/engine';
import type { InterruptRecord, ListedRun } from '@baton/engine/ports';
import { isoTime, isTerminal, type RunSummary } from '@baton/protocol';

/** A run as lists show it, made from its row. No log is read. */
export function summaryOf(row: ListedRun): RunSummary {
  const { turn, usage, error } = row.listed ?? {};
  return {
    runId: row.runId,
    workflowId: row.workflowId,
    status: row.status,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    startedAt: isoTime(row.createdAt),
    endedAt: isTerminal(row.status) ? isoTime(row.updatedAt) : undefined,
    parentRunId: row.parentRunId,
    forkedFrom: row.fork?.sourceRunId,
    role: row.role,
    turn,
    waitingFor: row.waits?.map(waitOf),
    usage,
    error: error && hideSealed(error),
    goalMet: row.goalMet,
    tags: row.tags.length === 0 ? undefined : [...row.tags],
  };
}

function waitOf({ runId, nodeId, kind, requestedAt, expiresAt }: InterruptRecord) {
  return {
    runId,
    nodeId,
    kind,
    since: isoTime(requestedAt),
    ...(expiresAt !== undefined && { deadline: isoTime(expiresAt) }),
  };
}
