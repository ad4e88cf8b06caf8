import {
  type EffectOutcome,
  type ModelAnswer,
  type ModelAnswerReads,
  type ModelCall,
  type ModelOutcome,
  type ModelProvider,
  type Models,
  type ModelText,
  SaidParts,
} from '@baton/engine/ports';
import {
  type Json,
  llmCacheKey,
  parseModelRequest,
  problemWith,
  runError,
  traceparentOfCall,
} from '@baton/protocol';
import Type from 'typebox';
import { judgeAnswer } from './judge-answer.ts';
import type { Performer } from './perform-effects.ts';

interface ModelCallOptions {
  /** A stored answer of the tenant to the same request, which is used again. */
  readonly kept?: ModelAnswerReads['modelAnswer'];
}

/** Performs model calls. */
export function modelCalls(models: Models, { kept }: ModelCallOptions = {}): Performer {
  return async (effect, { signal, progress }): Promise<EffectOutcome> => {
    const request = parseModelRequest(effect.request);
    const provider = models.provider(request.provider);
    if (provider === undefined) {
      const message = `No provider of models named "${request.provider}" is connected to this host.`;
      return { kind: 'failed', error: runError('capability_not_provided', message), retryable: false };
    }
    const { tenant, nodeId, key } = effect;
    const reuse = effect.fresh ? undefined : kept;
    // The key covers the whole conversation, so it is made only where it is used.
    const cacheKey = reuse && llmCacheKey(request);
    const before = cacheKey === undefined ? undefined : keptAnswer(await reuse?.(tenant, cacheKey));
    const asked: ModelCall = {
      request,
      tenant,
      nodeId,
      key,
      traceparent: traceparentOfCall(effect),
      signal,
      progress: (text) => progress(text),
      reasoned: (text) => progress(text, false, 'reasoning'),
    };
    const answer = before ?? (await answerOf(provider, asked));
    if (answer.kind === 'error') {
      return failedBy(answer);
    }
    const judged = judgeAnswer(request, answer, before !== undefined);
    const { costUsd } = answer;
    const outcome = costUsd === undefined ? judged : { ...judged, costUsd };
    // The answer of another model must not pass for that of the model which was asked for.
    const isOwn = before === undefined && answer.substitute === undefined;
    const isKept = isOwn && isAccepted(outcome);
    return {
      kind: 'done',
      outputs: outcome as unknown as Readonly<Record<string, Json>>,
      ...(isKept && cacheKey && answer.kind === 'text' && { keep: { cacheKey, answer: toKeep(answer) } }),
    };
  };
}

/** `said` is the answer to a request without a required form, such as that of an agent that may call tools. */
function isAccepted({ result }: ModelOutcome): boolean {
  return result.kind === 'valid' || result.kind === 'said';
}

type Failed = Extract<ModelAnswer, { kind: 'error' }>;

/** `spent` holds the tokens of the call, if the provider told them. */
function failedBy({ error, retryable, retryAfterMs, usage, costUsd }: Failed): EffectOutcome {
  return {
    kind: 'failed',
    error,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(usage && { spent: { usage: { ...usage }, ...(costUsd !== undefined && { costUsd }) } }),
  };
}

/** When a provider throws, the call may succeed later. The message of the error is not recorded. */
async function answerOf(provider: ModelProvider, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await provider.ask(call);
  } catch {
    return { kind: 'error', error: runError('provider_error'), retryable: true };
  }
}

/** An answer that is kept for other runs. Only accepted answers are kept, so it was not cut off. */
const Kept = Type.Object({
  text: Type.String(),
  usage: Type.Object({
    inputTokens: Type.Integer({ minimum: 0 }),
    outputTokens: Type.Integer({ minimum: 0 }),
  }),
  /** Absent if the answer is only `text`. */
  parts: Type.Optional(SaidParts),
});

function toKeep({ text, usage, parts }: ModelText): Json {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  return { text, usage: { inputTokens, outputTokens }, ...(parts && { parts: [...parts] }) };
}

/** A stored answer that cannot be read is ignored. */
function keptAnswer(stored: Json | undefined): ModelText | undefined {
  if (stored === undefined || problemWith(Kept, stored)) return undefined;
  const { text, usage, parts } = stored as Type.Static<typeof Kept>;
  return { kind: 'text', text, stopReason: 'end', usage, ...(parts && { parts }) };
}
