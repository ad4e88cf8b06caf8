import { carryUsage } from '../agents/carry-usage.ts';
import { carryHome, isIsolated, readyToCarry } from '../memory/carry.ts';
import { type ChildOfNode, endStatus, type Run } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';

/** Records the end of a child in its parent, where no event of the protocol states it. */

/** Records that a child completed without meeting its goal. Then its parent has not met its goal either. */
export function tellMissedGoal(working: WorkingRun, nodeId: string, child: Run, cause?: string): void {
  if (child.goal?.met === false) tellEnd(working, nodeId, child, cause);
}

/**
 * Records the end of a child that no node waits for. From then on the memory of the child is part of its
 * parent's memory. True when an event was recorded.
 */
export function noteDetached(working: WorkingRun, { nodeId, childRunId }: ChildOfNode): boolean {
  const child = workingChild(working, childRunId)?.run;
  const node = working.plan.nodes.get(nodeId);
  if (child === undefined || node === undefined || endStatus(child) === undefined) return false;
  const isolated = isIsolated(node);
  const memory = readyToCarry(working, child, isolated);
  if (memory !== 'current') return memory === 'moved';
  const cause = tellEnd(working, nodeId, child);
  carryUsage(working, nodeId, child, cause);
  carryHome(working, nodeId, child, isolated, cause);
  return true;
}

function tellEnd(working: WorkingRun, nodeId: string, child: Run, cause?: string): string {
  const { runId: childRunId, workflowId: childWorkflowId, goal } = child;
  const payload = {
    childRunId,
    childWorkflowId,
    status: endStatus(child) ?? 'failed',
    ...(goal?.met === false && { goalMet: false as const }),
  };
  return emit(working, 'baton.child.ended', payload, nodeId, cause);
}
