import {
  type AnswerFault,
  type EffectIntent,
  type JsonObject,
  type ModelRequest,
  problemWith,
  runError,
} from '@baton/protocol';
import { completeNode, failNode } from '../kernel/execute.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import { emit, type WorkingRun } from '../kernel/working-run.ts';
import { type ModelAttempt, ModelOutcome } from '../ports/model-outcome.ts';

/**
 * Records the outcome of a model call as events, the end of the node last. No other events are between them
 * in the log, so that a replay can copy them together.
 */
export function recordModelOutcome(
  working: WorkingRun,
  nodeId: string,
  intent: EffectIntent,
  outputs: JsonObject,
): void {
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined) return;
  const problem = problemWith(ModelOutcome, outputs);
  const { attempts, value } = outputs as unknown as ModelOutcome;
  const last = problem === undefined ? attempts.at(-1) : undefined;
  if (last === undefined || (last.result.kind === 'valid' && value === undefined)) {
    failNode(working, node, runError('provider_error', 'What came of the call cannot be read.'), false);
    return;
  }
  const call: Call = { turn: working, node, intent, request: intent.request as unknown as ModelRequest };
  attempts.forEach((attempt, at) => {
    recordAttempt(call, attempt, at + 1, attempts[at - 1]);
  });
  const { result } = last;
  switch (result.kind) {
    case 'valid':
      completeNode(working, nodeId, { data: value ?? null });
      return;
    case 'refused':
      // A refusal is never retried: other words might get around it.
      failNode(working, node, runError('envelope_refusal'), false);
      return;
    case 'error':
      failNode(working, node, result.error, result.retryable);
      return;
    case 'invalid':
    case 'truncated':
      giveUp(call, attempts, last);
  }
}

interface Call {
  readonly turn: WorkingRun;
  readonly node: PlanNode;
  readonly intent: EffectIntent;
  readonly request: ModelRequest;
}

function recordAttempt(
  { turn: working, node, request }: Call,
  attempt: ModelAttempt,
  number: number,
  before: ModelAttempt | undefined,
): void {
  const nodeId = node.id;
  const { provider, model } = request;
  const { result, usage, cacheKey } = attempt;
  if (before !== undefined) {
    if (attempt.formats) {
      const engaged = { nodeId, originalEnvelopeType: nameOfAnswer(request), fallbackCalls: 1 };
      emit(working, 'envelope.nlToFormat.engaged', engaged, nodeId);
    } else {
      const { reason, problem } = faultOf(before);
      const previousError = problem === undefined ? {} : { previousError: problem };
      emit(
        working,
        'envelope.retry.attempted',
        { nodeId, attempt: number, reason, ...previousError },
        nodeId,
      );
    }
    emit(working, 'baton.model.asked', { nodeId, attempt: number, cacheKey }, nodeId);
  }
  if (usage) {
    const hit = attempt.reused ? { cacheHit: true } : {};
    emit(working, 'provider.usage', { provider, model, ...usage, ...hit, nodeId }, nodeId);
  }
  if (attempt.unfenced)
    emit(working, 'envelope.recovery.applied', { nodeId, path: 'markdown-fence' }, nodeId);
  if (result.kind === 'truncated') {
    const { stopReason } = result;
    const count = usage ? { outputTokenCount: usage.outputTokens } : {};
    const cut = { nodeId, provider, model, stopReason, partialPayloadAvailable: false, ...count };
    emit(working, 'envelope.truncated', cut, nodeId);
  }
  if (result.kind === 'refused') {
    const said = {
      ...(result.text !== undefined && { refusalText: result.text }),
      ...(result.category !== undefined && { safetyCategory: result.category }),
    };
    emit(working, 'envelope.refusal', { nodeId, provider, model, ...said }, nodeId);
  }
}

function giveUp(
  { turn: working, node, intent }: Call,
  attempts: readonly ModelAttempt[],
  last: ModelAttempt,
): void {
  const nodeId = node.id;
  const tries = attempts.filter((attempt) => !attempt.formats);
  const { reason, problem } = faultOf(tries.at(-1) ?? last);
  const totalAttempts = tries.length;
  const finalError = problem === undefined ? {} : { finalError: problem };
  emit(
    working,
    'envelope.retry.exhausted',
    { nodeId, totalAttempts, finalReason: reason, ...finalError },
    nodeId,
  );
  if (intent.attempts !== undefined && totalAttempts >= intent.attempts) {
    const breach = { kind: 'schema' as const, limit: intent.attempts, observed: totalAttempts + 1, nodeId };
    emit(working, 'cap.breached', breach, nodeId);
  }
  const code = reason === 'truncation' ? 'envelope_truncation_unrecoverable' : 'envelope_invalid';
  failNode(working, node, runError(code, undefined, { attempts: totalAttempts }));
}

function faultOf({ result }: ModelAttempt): { readonly reason: AnswerFault; readonly problem?: string } {
  return result.kind === 'invalid' ? result : { reason: 'truncation' };
}

/** The author's name for the answer. It is only for people who read the log. */
function nameOfAnswer({ responseFormat }: ModelRequest): string {
  const title = responseFormat?.schema?.title;
  return typeof title === 'string' && title !== '' ? title : 'structured-output';
}
