import { type EffectIntent, isJsonObject, type Json } from '@baton/protocol';

/** Whether a replay performs an effect too and compares the outcome. It does so only for calls to models. */
export function asksAgain({ kind, request }: EffectIntent, models: 'recorded' | 'live'): boolean {
  return kind === MODEL_CALL && (models === 'live' || isReexecutable(request));
}

const MODEL_CALL = 'model.call';

/** Only the mock provider can be asked again without costs and side effects. */
function isReexecutable(request: Json): boolean {
  return isJsonObject(request) && request.provider === 'mock';
}
