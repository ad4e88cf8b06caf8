import { runError } from '@baton/protocol';
import { failNode } from '../execute.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { NodeState } from '../run.ts';
import type { Turn } from '../turn.ts';
import { asksAgain, serveBurst } from './recorded.ts';

/**
 * A replay that has diverged still performs no effects. It gets the recorded outcome of the same node,
 * execution and attempt in its source, and fails when there is none.
 */
export function serveFromSource(
  turn: Turn,
  node: PlanNode,
  state: Extract<NodeState, { status: 'running' }>,
): boolean {
  if (asksAgain(turn, state)) return false;
  const outcomes = turn.source?.outcomes;
  if (outcomes === undefined) {
    turn.tree.wanted.push({ kind: 'source-outcomes', runId: turn.run.runId });
    return false;
  }
  const burst = outcomes.get(outcomeKey(node.id, state.execution, state.attempt));
  if (burst === undefined) failNode(turn, node, runError('replay_source_missing'), false);
  else serveBurst(turn, burst, node.id);
  return true;
}

export function outcomeKey(nodeId: string, execution: number, attempt: number): string {
  return `${nodeId}/${execution}/${attempt}`;
}
