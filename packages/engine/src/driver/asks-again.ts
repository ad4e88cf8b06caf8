import { type EffectIntent, isJsonObject, type Json } from '@baton/protocol';

/** Whether a replay performs an effect too, to compare what comes back: only models are ever asked again. */
export function asksAgain({ kind, request }: EffectIntent, models: 'recorded' | 'live'): boolean {
  return kind === MODEL_CALL && (models === 'live' || isReexecutable(request));
}

const MODEL_CALL = 'model.call';

/** Only the mock can be asked again at no cost and without consequences. */
function isReexecutable(request: Json): boolean {
  return isJsonObject(request) && request.provider === 'mock';
}
