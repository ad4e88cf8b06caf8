import { runError } from '@baton/protocol';
import { callKey } from '../effect-key.ts';
import { failNode } from '../execute.ts';
import type { PlanNode } from '../graph/plan.ts';
import { type EffectStep, effectSteps, isPending } from '../run.ts';
import type { WorkingRun } from '../working-run.ts';
import { asksAgain } from './asks-again.ts';
import { repeatOutcome } from './recorded.ts';

/**
 * A replay that has diverged still performs no effects. It gets the recorded outcome of the same step of the
 * same node, execution and attempt in its source, and fails when there is none.
 */
export function serveFromSource(working: WorkingRun, node: PlanNode): boolean {
  const { now } = working.tree.world;
  const next = effectSteps(working.run, node.id).find(
    (step) => isPending(step) && (step.until ?? now) <= now && !asksAgain(working, step.effect),
  );
  return next !== undefined && serve(working, node, next);
}

function serve(working: WorkingRun, node: PlanNode, step: EffectStep): boolean {
  const outcomes = working.source?.outcomes;
  const state = working.run.nodes[node.id];
  if (outcomes === undefined || state === undefined) {
    working.tree.wanted.push({ kind: 'source-outcomes', runId: working.run.runId });
    return false;
  }
  const { execution, attempt } = state;
  const found = outcomes.get(callKey({ nodeId: node.id, execution, attempt, step: step.step }));
  const event = found?.retried[step.tries - 1] ?? found?.settled;
  if (event === undefined) failNode(working, node, runError('replay_source_missing'), false);
  else repeatOutcome(working, node.id, step, event);
  return true;
}
