import type {
  EffectOutcome,
  ModelAnswer,
  ModelAnswerReads,
  ModelCall,
  ModelProvider,
  Models,
} from '@baton/engine/ports';
import { type Json, llmCacheKey, parseModelRequest, runError } from '@baton/protocol';
import type { Performer } from '../effects.ts';
import { keptAnswer, toKeep } from './kept-answer.ts';
import { type Ask, structuredCall } from './structured-call.ts';

/** Performs model calls. With `kept`, a stored answer of the tenant to the same request is used again. */
export function modelCalls(models: Models, kept?: ModelAnswerReads['modelAnswer']): Performer {
  return async (effect): Promise<EffectOutcome> => {
    const request = parseModelRequest(effect.request);
    const provider = models.provider(request.provider);
    if (provider === undefined) {
      const message = `No provider of models named "${request.provider}" is connected to this host.`;
      return { kind: 'failed', error: runError('capability_not_provided', message), retryable: false };
    }
    const { tenant, nodeId, key } = effect;
    const reuse = effect.fresh ? undefined : kept;
    const ask: Ask = async (asked) => {
      const cacheKey = llmCacheKey(asked);
      const before = reuse && keptAnswer(await reuse(tenant, cacheKey));
      if (before) return { cacheKey, answer: before, reused: true };
      return {
        cacheKey,
        answer: await answerOf(provider, { request: asked, tenant, nodeId, key }),
        reused: false,
      };
    };
    const { outcome, taken } = await structuredCall(request, effect.attempts ?? 1, ask);
    const keep = reuse && taken && { cacheKey: taken.cacheKey, answer: toKeep(taken.answer) };
    return {
      kind: 'done',
      outputs: outcome as unknown as Readonly<Record<string, Json>>,
      ...(keep && { keep }),
    };
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
