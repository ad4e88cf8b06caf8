import type { Run } from '../run.ts';
import { emit, type WorkingRun } from '../working-run.ts';

/** Adds what an ended child used to the usage of its parent. A child that used nothing leaves no event. */
export function carryUsage(working: WorkingRun, nodeId: string, { runId, usage }: Run, cause?: string): void {
  if (usage === undefined) return;
  emit(working, 'baton.usage.carried', { childRunId: runId, ...usage }, nodeId, cause);
}
