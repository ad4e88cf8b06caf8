import type { EffectIntent, Json, JsonObject } from '@baton/protocol';
import { type AnswerFault, llmCacheKey, type ModelRequest, problemWith, runError } from '@baton/protocol';
import Type from 'typebox';
import { deniedModel, overBudget } from '../kernel/budgets/refuse-call.ts';
import { usingBudgets } from '../kernel/budgets/tell-use.ts';
import { completeNode, failNode, intend } from '../kernel/execute.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import type { SettledEffect, Start } from '../kernel/model.ts';
import type { EffectStep } from '../kernel/run.ts';
import { emit, type WorkingRun } from '../kernel/working-run.ts';
import { ModelOutcome } from '../ports/model-outcome.ts';
import { agentAt } from './agent/budget.ts';
import { corrected, formatting, withMoreRoom } from './model-corrections.ts';

/**
 * Takes the answer of a model to a structured call: records its cost and its faults, and completes the node,
 * fails it, or asks again. Each request is an effect of its own, so that a crash repeats at most one.
 */

/** One answer in a series of attempts to get a valid one. */
interface Answered {
  readonly working: WorkingRun;
  readonly node: PlanNode;
  readonly steps: readonly EffectStep[];
  readonly request: ModelRequest;
  readonly outcome: ModelOutcome;
  /** Which request of the series this is the answer to, from 1. */
  readonly number: number;
  /** How many attempts the author allows. One more request may ask for the last answer in another form. */
  readonly attempts: number;
}

/** A provider that is busy or fails for the moment is asked again, with the same request. */
export const MODEL_RETRY = { tries: 4, backoffMs: 1000, maxBackoffMs: 60_000 };

function modelCall(request: ModelRequest): EffectIntent {
  return {
    kind: 'model.call',
    request: request as unknown as Json,
    cacheKey: llmCacheKey(request),
    retry: MODEL_RETRY,
  };
}

/** Intends the call of a node without an agent, unless the budget of the run does not allow it. */
export function askModel(working: WorkingRun, node: PlanNode, request: ModelRequest): void {
  const refusal =
    deniedModel(working, undefined, request) ?? overBudget(working, node.id, undefined, 'model');
  if (refusal) failNode(working, node, refusal, false);
  else intend(working, node.id, [modelCall(request)]);
}

/** The first action of a node without an agent. The budget is known to the working run only, so an act checks it. */
export function startByAsking(request: ModelRequest): Start {
  return {
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      if (node) askModel(working, node, request);
    },
  };
}

export function takeModelAnswer(
  working: WorkingRun,
  nodeId: string,
  { step, steps, outputs }: SettledEffect,
  attempts: number,
): void {
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined) return;
  const outcome = outputs as unknown as ModelOutcome;
  if (problemWith(ModelOutcome, outputs) || (outcome.result.kind === 'valid' && outcome.data === undefined)) {
    failNode(working, node, runError('provider_error', 'What came of the call cannot be read.'), false);
    return;
  }
  const request = requestOf(step);
  const number = steps.indexOf(step) + 1;
  const answered: Answered = { working, node, steps, request, outcome, number, attempts };
  tellCost(answered);
  const { result, data } = outcome;
  switch (result.kind) {
    case 'valid':
      completeNode(working, nodeId, { data: data ?? null });
      return;
    case 'refused':
      tellRefusal(answered, result);
      // A refusal is never retried: other words might get around it.
      failNode(working, node, runError('envelope_refusal'), false);
      return;
    case 'truncated':
      tellTruncation(answered, result);
      askAgain(answered, () => withMoreRoom(request, outcome.usage?.outputTokens ?? 0));
      return;
    case 'said':
      failNode(working, node, runError('provider_error', 'What came of the call cannot be read.'), false);
      return;
    case 'invalid':
      askAgain(answered, () => corrected(request, firstRequest(steps), result.problem));
  }
}

function requestOf({ effect }: EffectStep): ModelRequest {
  return effect.request as unknown as ModelRequest;
}

function firstRequest([first]: readonly EffectStep[]): ModelRequest {
  if (first === undefined) throw new Error('no model was asked');
  return requestOf(first);
}

/** `next` makes the next request. It is `undefined` when another answer would have the same fault. */
function askAgain(answered: Answered, next: () => ModelRequest | undefined): void {
  const { working, node, steps, number, attempts } = answered;
  const request = number < attempts ? next() : undefined;
  if (request !== undefined) {
    const { reason, problem } = faultOf(answered.outcome);
    const previousError = problem === undefined ? {} : { previousError: problem };
    const told = { nodeId: node.id, attempt: number + 1, reason, ...previousError };
    emit(working, 'envelope.retry.attempted', told, node.id);
    askModel(working, node, request);
  } else if (number === attempts && steps.every(isProse)) {
    const first = firstRequest(steps);
    const told = { nodeId: node.id, originalEnvelopeType: nameOfAnswer(first), fallbackCalls: 1 };
    emit(working, 'envelope.nlToFormat.engaged', told, node.id);
    askModel(working, node, formatting(first, String(answered.outcome.data)));
  } else giveUp(answered);
}

function isProse({ outputs }: EffectStep): boolean {
  const { result } = outputs as unknown as ModelOutcome;
  return result.kind === 'invalid' && result.prose === true;
}

/** An answer of a model to a request. */
interface Told {
  readonly working: WorkingRun;
  readonly node: PlanNode;
  readonly request: Pick<ModelRequest, 'provider' | 'model'>;
  readonly outcome: ModelOutcome;
}

export function tellCost({
  working,
  node,
  request,
  outcome,
}: Omit<Told, 'outcome'> & { readonly outcome: Omit<ModelOutcome, 'result'> }): void {
  const nodeId = node.id;
  const { usage, reused, unfenced, substitute, costUsd } = outcome;
  const { provider, model } = substitute ?? request;
  if (substitute) {
    const asked = { nodeId, provider: request.provider, model: request.model };
    emit(
      working,
      'baton.model.substituted',
      { ...asked, fallbackProvider: provider, fallbackModel: model },
      nodeId,
    );
  }
  if (usage) {
    const { reasoningTokens: _part, ...tokens } = usage;
    const cost = costUsd === undefined ? {} : { costEstimateUsd: costUsd };
    const hit = reused ? { cacheHit: true } : {};
    usingBudgets(working, nodeId, agentAt(working, node), () => {
      emit(working, 'provider.usage', { provider, model, ...tokens, ...cost, ...hit, nodeId }, nodeId);
    });
  }
  if (unfenced) emit(working, 'envelope.recovery.applied', { nodeId, path: 'markdown-fence' }, nodeId);
}

/** A call that failed may have cost tokens too. */
export function tellSpent(
  working: WorkingRun,
  nodeId: string,
  { effect }: EffectStep,
  spent: JsonObject,
): void {
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined || problemWith(Spent, spent)) return;
  const request = effect.request as unknown as ModelRequest;
  tellCost({ working, node, request, outcome: spent as Type.Static<typeof Spent> });
}

const { usage, costUsd } = ModelOutcome.properties;
const Spent = Type.Object({ usage, costUsd }, { additionalProperties: false });

type ResultOf<K extends ModelOutcome['result']['kind']> = Extract<ModelOutcome['result'], { kind: K }>;

export function tellTruncation(
  { working, node, request, outcome: { usage } }: Told,
  { stopReason }: ResultOf<'truncated'>,
): void {
  const { provider, model } = request;
  const count = usage ? { outputTokenCount: usage.outputTokens } : {};
  const cut = { nodeId: node.id, provider, model, stopReason, partialPayloadAvailable: false, ...count };
  emit(working, 'envelope.truncated', cut, node.id);
}

export function tellRefusal(
  { working, node, request: { provider, model } }: Omit<Told, 'outcome'>,
  { text, category }: ResultOf<'refused'>,
): void {
  const said = {
    ...(text !== undefined && { refusalText: text }),
    ...(category !== undefined && { safetyCategory: category }),
  };
  emit(working, 'envelope.refusal', { nodeId: node.id, provider, model, ...said }, node.id);
}

function giveUp({ working, node, steps, outcome, number, attempts }: Answered): void {
  const nodeId = node.id;
  const totalAttempts = Math.min(number, attempts);
  const last = (steps[totalAttempts - 1]?.outputs as ModelOutcome | undefined) ?? outcome;
  const { reason, problem } = faultOf(last);
  const finalError = problem === undefined ? {} : { finalError: problem };
  emit(
    working,
    'envelope.retry.exhausted',
    { nodeId, totalAttempts, finalReason: reason, ...finalError },
    nodeId,
  );
  if (totalAttempts >= attempts) {
    const breach = { kind: 'schema' as const, limit: attempts, observed: totalAttempts + 1, nodeId };
    emit(working, 'cap.breached', breach, nodeId);
  }
  const code = reason === 'truncation' ? 'envelope_truncation_unrecoverable' : 'envelope_invalid';
  failNode(working, node, runError(code, undefined, { attempts: totalAttempts }));
}

function faultOf({ result }: ModelOutcome): { readonly reason: AnswerFault; readonly problem?: string } {
  return result.kind === 'invalid' ? result : { reason: 'truncation' };
}

/** The author's name for the answer. It is only for people who read the log. */
function nameOfAnswer({ responseFormat }: ModelRequest): string {
  const title = responseFormat?.schema?.title;
  return typeof title === 'string' && title !== '' ? title : 'structured-output';
}
