import { carryHome, isIsolated, readyToCarry } from '../memory/carry.ts';
import { goesBy } from '../rules.ts';
import { type ChildOfNode, endStatus, type Run } from '../run.ts';
import { childTurn, emit, type Turn } from '../turn.ts';

/** What a parent records of the end of a child where no event of the protocol says it. */

/** A child that completed without having met its goal is no success of its parent. */
export function tellMissedGoal(turn: Turn, nodeId: string, child: Run, cause?: string): void {
  if (goesBy(turn.run, 1) && child.goal?.met === false) tellEnd(turn, nodeId, child, cause);
}

/**
 * Takes notice of a child that no node waits for, once it has ended: from then on its parent has what it remembered.
 * True when something was recorded.
 */
export function noteDetached(turn: Turn, { nodeId, childRunId }: ChildOfNode): boolean {
  const child = childTurn(turn, childRunId)?.run;
  const node = turn.plan.nodes.get(nodeId);
  if (child === undefined || node === undefined || endStatus(child) === undefined) return false;
  const isolated = isIsolated(node);
  const memory = readyToCarry(turn, child, isolated);
  if (memory !== 'current') return memory === 'moved';
  const cause = tellEnd(turn, nodeId, child);
  carryHome(turn, nodeId, child, isolated, cause);
  return true;
}

function tellEnd(turn: Turn, nodeId: string, child: Run, cause?: string): string {
  const { runId: childRunId, workflowId: childWorkflowId, goal } = child;
  const payload = {
    childRunId,
    childWorkflowId,
    status: endStatus(child) ?? 'failed',
    ...(goal?.met === false && { goalMet: false as const }),
  };
  return emit(turn, 'baton.child.ended', payload, nodeId, cause);
}
