import type { RunStatus, RunSummary } from '@baton/client';

/** A run in a list. */
export type RunRow = RunSummary;

/** A question that a run, or one of its descendants, waits for. */
export type RunWait = NonNullable<RunSummary['waitingFor']>[number];

const ENDED: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled']);

export function hasEnded({ status }: { readonly status: RunStatus }): boolean {
  return ENDED.has(status);
}

/** How long a run has taken until now, in milliseconds. */
export function durationOf(run: RunRow, now: number): number {
  const from = Date.parse(run.startedAt ?? run.createdAt);
  const until = hasEnded(run) ? Date.parse(run.endedAt ?? run.updatedAt) : now;
  return Math.max(0, until - from);
}
