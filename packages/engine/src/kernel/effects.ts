import type { JsonObject, RunError } from '@baton/protocol';
import { effectKey, type PendingEffect } from './effect-key.ts';
import { completeNode, conclude, failNode } from './execute.ts';
import { asksAgain } from './replay/recorded.ts';
import { followed, isAtEnd } from './replay/source.ts';
import type { Run } from './run.ts';
import type { WorkingRun } from './working-run.ts';

/** Effects that a run has asked for and that have no recorded outcome yet, and the recording of outcomes. */

export function pendingEffects(run: Run): readonly PendingEffect[] {
  const found: PendingEffect[] = [];
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state?.status !== 'running' || state.wait.for !== 'effect') continue;
    const { execution, attempt } = state;
    const key = effectKey(run, { nodeId, execution, attempt });
    found.push({ ...state.wait.effect, key, nodeId, execution, attempt });
  }
  return found;
}

/** The effects to perform now. A replay performs only calls to models whose answers it compares. */
export function effectsToPerform(working: WorkingRun): readonly PendingEffect[] {
  const pending = pendingEffects(working.run);
  if (working.run.fork?.mode !== 'replay') return pending;
  return pending.filter(({ nodeId, key }) => {
    const state = working.run.nodes[nodeId];
    if (state?.status !== 'running' || !asksAgain(working, state)) return false;
    return followed(working) === undefined || isAtEnd(working) || working.tree.asking.has(key);
  });
}

export interface ArrivedOutcome {
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  readonly outcome:
    | { readonly kind: 'done'; readonly outputs: JsonObject }
    | { readonly kind: 'failed'; readonly error: RunError; readonly retryable?: boolean };
}

/** Records an outcome, once. False when the node no longer waits for it. */
export function recordOutcome(working: WorkingRun, arrived: ArrivedOutcome): boolean {
  const state = working.run.nodes[arrived.nodeId];
  const node = working.plan.nodes.get(arrived.nodeId);
  if (state?.status !== 'running' || state.wait.for !== 'effect' || node === undefined) return false;
  if (state.execution !== arrived.execution || state.attempt !== arrived.attempt) return false;
  const { outcome } = arrived;
  if (outcome.kind === 'failed') failNode(working, node, outcome.error, outcome.retryable);
  else if (node.type.outcome) conclude(working, node, node.type.outcome(state.wait.effect, outcome.outputs));
  else completeNode(working, node.id, outcome.outputs);
  working.tree.agenda.push(working.run.runId);
  return true;
}
