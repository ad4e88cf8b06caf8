import type { JsonObject, RunError } from '@baton/protocol';
import type { ProgressOf } from '../ports/effects.ts';
import { exhaustionIn } from '../ports/tenant-budgets.ts';
import { tellExhausted } from './budgets/refuse-call.ts';
import { effectKey, type PendingEffect } from './effect-key.ts';
import { completeNode, conclude, failNode, intend } from './execute.ts';
import type { PlanNode } from './graph/plan.ts';
import type { Act, Finish, Perform } from './model.ts';
import { asksAgain } from './replay/asks-again.ts';
import { followed, isAtEnd } from './replay/source.ts';
import { type EffectStep, effectSteps, isPending, type Run } from './run.ts';
import { emit, type WorkingRun } from './working-run.ts';

/** Effects that a run has asked for and that are not settled, and the recording of outcomes. */

/** A state of a run never changes, and its effects are asked for several times in each slice. */
const known = new WeakMap<Run, readonly PendingEffect[]>();

export function pendingEffects(run: Run): readonly PendingEffect[] {
  const before = known.get(run);
  if (before !== undefined) return before;
  const found = findPending(run);
  if (found.length > 0) known.set(run, found);
  return found;
}

function findPending(run: Run): readonly PendingEffect[] {
  const found: PendingEffect[] = [];
  for (const nodeId of run.active) {
    const state = run.nodes[nodeId];
    if (state?.status !== 'running' || state.wait.for !== 'effects') continue;
    const { execution, attempt } = state;
    for (const pending of state.wait.steps) {
      if (!isPending(pending)) continue;
      const { effect, step, tries, until } = pending;
      const call = { nodeId, execution, attempt, step };
      found.push({
        ...effect,
        key: effectKey(run, call),
        ...call,
        tries,
        ...(until !== undefined && { until }),
      });
    }
  }
  return found;
}

/** The effects to perform now. A replay performs only calls to models whose answers it compares. */
export function effectsToPerform(working: WorkingRun): readonly PendingEffect[] {
  const pending = pendingEffects(working.run);
  if (working.run.fork?.mode !== 'replay') return pending;
  return pending.filter((effect) => {
    if (!asksAgain(working, effect)) return false;
    return followed(working) === undefined || isAtEnd(working) || working.tree.asking.has(effect.key);
  });
}

/** Names one try of an effect. */
interface EffectTry {
  readonly nodeId: string;
  readonly execution: number;
  readonly attempt: number;
  readonly step: number;
  readonly tries: number;
}

export interface ArrivedOutcome extends EffectTry {
  readonly outcome:
    | { readonly kind: 'done'; readonly outputs: JsonObject }
    | ({ readonly kind: 'failed' } & Failure);
}

interface ArrivedChunk extends EffectTry {
  readonly chunk: string;
  readonly isLast: boolean;
  readonly of?: ProgressOf;
}

interface Failure {
  readonly error: RunError;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
  readonly spent?: JsonObject;
}

/** Records an outcome, once. False when the node no longer waits for this try of the effect. */
export function recordOutcome(working: WorkingRun, arrived: ArrivedOutcome): boolean {
  const awaited = awaitedStep(working, arrived);
  if (awaited === undefined) return false;
  const { node, step } = awaited;
  const { outcome } = arrived;
  if (outcome.kind === 'done') settleDone(working, node, step, outcome.outputs);
  else if (!retryEffect(working, node, step, outcome)) {
    settleFailed(working, node, step, outcome);
  }
  return true;
}

/** Records a part of a text that an effect brings. */
export function recordProgress(working: WorkingRun, arrived: ArrivedChunk): void {
  const awaited = awaitedStep(working, arrived);
  if (awaited === undefined) return;
  const { nodeId, step, chunk, isLast } = arrived;
  if (arrived.of === 'reasoning') {
    recordReasoning(working, nodeId, awaited.step, chunk);
    return;
  }
  const { runId } = working.run;
  emit(working, 'output.chunk', { nodeId, runId, channel: String(step), chunk, isLast }, nodeId);
}

/** The reasoning of a model belongs to an agent. Other nodes do not record it. */
function recordReasoning(
  working: WorkingRun,
  nodeId: string,
  { deltas = 0 }: EffectStep,
  delta: string,
): void {
  const state = working.run.nodes[nodeId];
  const invocation = state?.status === 'running' ? state.invocation : undefined;
  if (invocation === undefined || delta === '') return;
  if (working.run.configurable.reasoningVerbosity === 'off') return;
  const payload = { agentId: invocation.agentId, delta, sequence: deltas };
  emit(working, 'agent.reasoning.delta', payload, nodeId);
}

function awaitedStep(
  working: WorkingRun,
  { nodeId, execution, attempt, step, tries }: EffectTry,
): { readonly node: PlanNode; readonly step: EffectStep } | undefined {
  const state = working.run.nodes[nodeId];
  const node = working.plan.nodes.get(nodeId);
  if (state?.execution !== execution || state.attempt !== attempt || node === undefined) return undefined;
  const found = effectSteps(working.run, nodeId).find((one) => one.step === step);
  return found !== undefined && isPending(found) && found.tries === tries ? { node, step: found } : undefined;
}

/** Whether the effect is tried again. Its request stays the same, and so does its key. */
function retryEffect(
  working: WorkingRun,
  node: PlanNode,
  effect: EffectStep,
  { error, retryable = true, retryAfterMs = 0, spent }: Failure,
): boolean {
  const {
    step,
    tries,
    effect: { retry },
  } = effect;
  const nodeId = node.id;
  if (!retryable || retry === undefined || tries >= retry.tries) return false;
  const backoffMs = Math.min(retry.backoffMs * 2 ** (tries - 1), retry.maxBackoffMs);
  const delayMs = Math.max(backoffMs, retryAfterMs);
  emit(
    working,
    'baton.effect.retried',
    { nodeId, step, tries: tries + 1, delayMs, lastError: error, ...(spent && { spent }) },
    nodeId,
  );
  if (spent) node.type.spent?.(working, nodeId, effect, spent);
  return true;
}

export function settleFailed(
  working: WorkingRun,
  node: PlanNode,
  effect: EffectStep,
  { error, retryable = true, spent }: Failure,
): void {
  const nodeId = node.id;
  const { step } = effect;
  emit(
    working,
    'baton.effect.settled',
    { nodeId, step, error, ...(!retryable && { retryable: false as const }), ...(spent && { spent }) },
    nodeId,
  );
  if (spent) node.type.spent?.(working, nodeId, effect, spent);
  node.type.failing?.(working, nodeId, error);
  const ofTenant = exhaustionIn(error);
  if (ofTenant) tellExhausted(working, nodeId, ofTenant, { scope: 'tenant', period: ofTenant.period });
  failNode(working, node, error, retryable);
  working.tree.agenda.push(working.run.runId);
}

/** The node goes on with the outputs as they were recorded: sensitive values are sealed, secrets removed. */
export function settleDone(
  working: WorkingRun,
  node: PlanNode,
  { step: number }: EffectStep,
  given: JsonObject,
): void {
  const empty = Object.keys(given).length === 0;
  emit(
    working,
    'baton.effect.settled',
    { nodeId: node.id, step: number, ...(!empty && { outputs: given }) },
    node.id,
  );
  const steps = effectSteps(working.run, node.id);
  const step = steps.find((one) => one.step === number);
  if (step?.outputs === undefined) throw new Error(`effect ${number} of node ${node.id} was not intended`);
  const { outputs } = step;
  if (node.type.outcome === undefined) completeNode(working, node.id, outputs);
  else goOn(working, node, node.type.outcome({ node: node.node, config: node.config, step, outputs, steps }));
  working.tree.agenda.push(working.run.runId);
}

function goOn(working: WorkingRun, node: PlanNode, next: Finish | Act | Perform): void {
  if (next.do === 'perform') intend(working, node.id, next.effects);
  else conclude(working, node, next);
  const state = working.run.nodes[node.id];
  // A node that asks a person waits for the answer.
  const steps = state?.status === 'running' && state.wait.for === 'effects' ? state.wait.steps : [];
  const isStuck = steps.length > 0 && !steps.some(isPending) && node.type.proceed === undefined;
  if (isStuck) throw new Error(`node ${node.id} waits for effects that it has not asked for`);
}
