import type {
  EffectOutcome,
  ModelAnswer,
  ModelAnswerReads,
  ModelCall,
  ModelProvider,
  Models,
  TokenUsage,
} from '@baton/engine/ports';
import {
  type Json,
  type JsonObject,
  llmCacheKey,
  type ModelRequest,
  parseModelRequest,
  runError,
  traceparentOfCall,
} from '@baton/protocol';
import type { Performer } from '../effects.ts';
import { judgeAnswer } from './judge-answer.ts';
import { keptAnswer, toKeep } from './kept-answer.ts';

interface ModelCallOptions {
  /** An estimate in US dollars, `undefined` for a model without a known price. */
  readonly costOf?: (
    target: { readonly provider: string; readonly model: string },
    usage: TokenUsage,
  ) => Promise<number | undefined>;
  /** A stored answer of the tenant to the same request, which is used again. */
  readonly kept?: ModelAnswerReads['modelAnswer'];
}

/** Performs model calls. */
export function modelCalls(models: Models, { kept, costOf }: ModelCallOptions = {}): Performer {
  return async (effect, { signal, progress }): Promise<EffectOutcome> => {
    const request = parseModelRequest(effect.request);
    const provider = models.provider(request.provider);
    if (provider === undefined) {
      const message = `No provider of models named "${request.provider}" is connected to this host.`;
      return { kind: 'failed', error: runError('capability_not_provided', message), retryable: false };
    }
    const { tenant, nodeId, key } = effect;
    const reuse = effect.fresh ? undefined : kept;
    const cacheKey = llmCacheKey(request);
    const before = reuse && keptAnswer(await reuse(tenant, cacheKey));
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
      return failedBy(answer, await spentBy(answer, request, costOf));
    }
    const judged = judgeAnswer(request, answer, before !== undefined);
    const costUsd =
      judged.usage && before === undefined
        ? await costOf?.(answer.substitute ?? request, judged.usage)
        : undefined;
    const outcome = costUsd === undefined ? judged : { ...judged, costUsd };
    // The answer of another model must not pass for that of the model which was asked for.
    const isOwn = before === undefined && answer.substitute === undefined;
    const isKept = reuse && isOwn && outcome.result.kind === 'valid';
    return {
      kind: 'done',
      outputs: outcome as unknown as Readonly<Record<string, Json>>,
      ...(isKept && answer.kind === 'text' && { keep: { cacheKey, answer: toKeep(answer) } }),
    };
  };
}

type Failed = Extract<ModelAnswer, { kind: 'error' }>;

function failedBy({ error, retryable, retryAfterMs }: Failed, spent?: JsonObject): EffectOutcome {
  return {
    kind: 'failed',
    error,
    retryable,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(spent && { spent }),
  };
}

/** The tokens of a call that failed, if the provider told them. */
async function spentBy(
  { usage }: Failed,
  { provider, model }: ModelRequest,
  costOf: ModelCallOptions['costOf'],
): Promise<JsonObject | undefined> {
  if (usage === undefined) return undefined;
  const costUsd = await costOf?.({ provider, model }, usage);
  return { usage: { ...usage }, ...(costUsd !== undefined && { costUsd }) };
}

/** When a provider throws, the call may succeed later. The message of the error is not recorded. */
async function answerOf(provider: ModelProvider, call: ModelCall): Promise<ModelAnswer> {
  try {
    return await provider.ask(call);
  } catch {
    return { kind: 'error', error: runError('provider_error'), retryable: true };
  }
}
