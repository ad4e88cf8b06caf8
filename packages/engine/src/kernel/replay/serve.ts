import { runError } from '@baton/protocol';
import { failNode } from '../execute.ts';
import type { PlanNode } from '../graph/plan.ts';
import type { NodeState } from '../run.ts';
import type { WorkingRun } from '../working-run.ts';
import { asksAgain, serveBurst } from './recorded.ts';

/**
 * A replay that has diverged still performs no effects. It gets the recorded outcome of the same node,
 * execution and attempt in its source, and fails when there is none.
 */
export function serveFromSource(
  working: WorkingRun,
  node: PlanNode,
  state: Extract<NodeState, { status: 'running' }>,
): boolean {
  if (asksAgain(working, state)) return false;
  const outcomes = working.source?.outcomes;
  if (outcomes === undefined) {
    working.tree.wanted.push({ kind: 'source-outcomes', runId: working.run.runId });
    return false;
  }
  const burst = outcomes.get(outcomeKey(node.id, state.execution, state.attempt));
  if (burst === undefined) failNode(working, node, runError('replay_source_missing'), false);
  else serveBurst(working, burst, node.id);
  return true;
}

export function outcomeKey(nodeId: string, execution: number, attempt: number): string {
  return `${nodeId}/${execution}/${attempt}`;
}
