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
import { judgeAnswer } from './judge-answer.ts';
import { keptAnswer, toKeep } from './kept-answer.ts';

/** Performs model calls. With `kept`, a stored answer of the tenant to the same request is used again. */
export function modelCalls(models: Models, kept?: ModelAnswerReads['modelAnswer']): Performer {
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
      signal,
      progress: (text) => progress(text),
      reasoned: (text) => progress(text, false, 'reasoning'),
    };
    const answer = before ?? (await answerOf(provider, asked));
    if (answer.kind === 'error') {
      const { error, retryable, retryAfterMs } = answer;
      return { kind: 'failed', error, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    const outcome = judgeAnswer(request, answer, before !== undefined);
    const isKept = reuse && before === undefined && outcome.result.kind === 'valid';
    return {
      kind: 'done',
      outputs: outcome as unknown as Readonly<Record<string, Json>>,
      ...(isKept && answer.kind === 'text' && { keep: { cacheKey, answer: toKeep(answer) } }),
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
