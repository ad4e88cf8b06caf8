import { type EffectIntent, type JsonObject, type RunError, runError } from '@baton/protocol';
import { closeInvocation } from './agents/close-invocation.ts';
import { failRun } from './ending.ts';
import type { Owned } from './fold/evolve-values.ts';
import { resolveInputs } from './graph/inputs.ts';
import { DISPATCH, SUPERVISOR } from './graph/loops.ts';
import type { PlanNode } from './graph/plan.ts';
import { DISABLED } from './graph/readiness.ts';
import { stepMeter } from './graph/step-meter.ts';
import { breachBeforeStart } from './limits.ts';
import { takeTurn } from './memory/take-turn.ts';
import type { Act, Assignments, Finish, NodeView, Start } from './model.ts';
import { ask } from './people/asking.ts';
import { decideScopes, recordDecisions, refuseDenied } from './people/required-scopes.ts';
import { wentOnLater } from './replay/source.ts';
import { effectSteps, isPending } from './run.ts';
import { emit, type WorkingRun } from './working-run.ts';

/** Starts, completes, fails and retries a node. */

/** False when a look-up or a commit is needed first. Then nothing was recorded. */
export function startNode(working: WorkingRun, node: PlanNode): boolean {
  if (node.node.disabled === true) {
    emit(working, 'node.skipped', { nodeId: node.id, reason: DISABLED }, node.id);
    return true;
  }
  const before = working.run.nodes[node.id];
  const retrying = before?.status === 'retrying';
  if (!retrying && breachBeforeStart(working, node)) return true;
  const taken = node.type.typeId === SUPERVISOR ? takeTurn(working, node) : undefined;
  if (taken === 'moved' || taken === 'unknown') return taken === 'moved';
  const execution = retrying ? before.execution : (before?.execution ?? 0) + 1;
  const decisions = decideScopes(working, node);
  const start = refuseDenied(node, decisions) ?? firstAction(working, node, execution, taken?.shown);
  const timeoutMs = node.node.settings?.timeoutMs;
  const startedId = emit(
    working,
    'node.started',
    {
      nodeId: node.id,
      typeId: node.type.typeId,
      attempt: retrying ? before.attempt + 1 : 1,
      ...(start.do === 'sleep' && { waitMs: start.ms }),
      ...(start.do === 'proceed' && start.handsTo && { handsTo: start.handsTo }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(taken?.inputs && { turn: taken.inputs }),
    },
    node.id,
    node.type.typeId === DISPATCH ? working.run.decision?.eventId : undefined,
  );
  recordDecisions(working, node, decisions, startedId);
  if (start.do === 'ask') ask(working, node.id, start.request);
  else if (start.do === 'proceed') {
    if (!wentOnLater(working)) node.type.proceed?.(working, node.id);
  } else if (start.do === 'perform') intend(working, node.id, start.effects);
  else if (start.do !== 'sleep') conclude(working, node, start);
  return true;
}

/** A run keeps the effects of the present attempt of a node in its state. */
const MOST_EFFECTS = 500;
/** Each outcome looks at all effects that the node waits for. */
const MOST_AT_ONCE = 100;

/** Records that the node asks for effects. They are performed after this is stored. */
export function intend(working: WorkingRun, nodeId: string, effects: readonly EffectIntent[]): void {
  const node = working.plan.nodes.get(nodeId);
  const before = effectSteps(working.run, nodeId);
  const isTooMany =
    before.length + effects.length > MOST_EFFECTS ||
    before.filter(isPending).length + effects.length > MOST_AT_ONCE;
  if (node !== undefined && isTooMany) {
    const limits = { inAll: MOST_EFFECTS, atOnce: MOST_AT_ONCE };
    failNode(working, node, runError('effect_limit_exceeded', undefined, limits), false);
    return;
  }
  const first = (before.at(-1)?.step ?? 0) + 1;
  for (const [at, effect] of effects.entries()) {
    emit(working, 'baton.effect.intended', { nodeId, step: first + at, effect }, nodeId);
  }
}

function firstAction(
  working: WorkingRun,
  node: PlanNode,
  execution: number,
  shown: JsonObject | undefined,
): Start {
  const missing = node.type.requires?.find((capability) => !working.tree.world.provides.has(capability));
  if (missing !== undefined) {
    const message = `Node "${node.id}" needs the capability "${missing}", which this host does not provide.`;
    return { do: 'fail', error: runError('capability_not_provided', message), retryable: false };
  }
  const view = viewOf(working, node, execution);
  if ('error' in view) return { do: 'fail', error: view.error };
  return node.type.start(shown === undefined ? view : { ...view, turn: shown });
}

export function viewOf(
  working: WorkingRun,
  node: PlanNode,
  execution: number,
): NodeView | { readonly error: RunError } {
  const meter = stepMeter(working.run.limits);
  const resolved = resolveInputs(working.run, node, meter);
  if (!resolved.ok) return { error: resolved.error };
  return {
    node: node.node,
    config: node.config,
    inputs: resolved.inputs,
    run: working.run,
    execution,
    meter,
  };
}

export function conclude(working: WorkingRun, node: PlanNode, outcome: Finish | Act): void {
  switch (outcome.do) {
    case 'complete':
      if (outcome.assign) assign(working, node.id, outcome.assign);
      completeNode(working, node.id, outcome.outputs);
      return;
    case 'fail':
      failNode(working, node, outcome.error, outcome.retryable ?? true);
      return;
    case 'act':
      outcome.act(working, node.id);
  }
}

export function assign(working: WorkingRun, nodeId: string, values: Assignments, cause?: string): void {
  // No code reads the run between two assignments, so its variables are copied once.
  const own: Owned = {};
  for (const [name, next] of Object.entries(values)) {
    emit(
      working,
      'variable.changed',
      { name, ...(next !== undefined && { next }), nodeId },
      nodeId,
      cause,
      own,
    );
  }
}

export function completeNode(working: WorkingRun, nodeId: string, outputs?: JsonObject): void {
  const empty = outputs === undefined || Object.keys(outputs).length === 0;
  emit(working, 'node.completed', { nodeId, ...(!empty && { outputs }) }, nodeId);
}

/** Retries the node while its retry policy allows this. Otherwise the node fails. */
export function failNode(working: WorkingRun, node: PlanNode, error: RunError, retryable = true): void {
  closeInvocation(working, node.id, 'failed');
  const attempt = working.run.nodes[node.id]?.attempt ?? 1;
  const policy = retryPolicy(working, node);
  // A dispatch node is not retried: its decision is consumed, and its workers may have run.
  const mayRetry = node.type.typeId !== DISPATCH && canRepeat(working, node);
  if (retryable && mayRetry && attempt <= policy.maxRetries) {
    const delayMs = Math.min(
      Math.round(policy.backoffMs * policy.factor ** (attempt - 1)),
      policy.maxBackoffMs,
    );
    emit(
      working,
      'node.retried',
      { nodeId: node.id, attempt: attempt + 1, delayMs, lastError: error },
      node.id,
    );
    return;
  }
  const failed = emit(working, 'node.failed', { nodeId: node.id, error, attempts: attempt }, node.id);
  if (!node.failureHandled) failRun(working, error, node.id, failed);
}

function canRepeat({ run }: WorkingRun, { id, type }: PlanNode): boolean {
  return type.canRepeat?.(effectSteps(run, id)) ?? true;
}

const DEFAULT_BACKOFF_MS = 1000;
const DEFAULT_MAX_BACKOFF_MS = 60_000;

function retryPolicy(working: WorkingRun, node: PlanNode) {
  const own = node.node.settings?.retry;
  return {
    maxRetries: own?.maxRetries ?? working.plan.definition.settings?.maxRetries ?? 0,
    backoffMs: own?.backoffMs ?? DEFAULT_BACKOFF_MS,
    factor: own?.factor ?? 2,
    maxBackoffMs: own?.maxBackoffMs ?? DEFAULT_MAX_BACKOFF_MS,
  };
}
