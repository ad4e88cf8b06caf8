import type { Effect, EffectOutcome, Effects } from '@baton/engine/ports';

/**
 * Effects that are being performed. An engine that is restarted meanwhile asks for them again. It is given
 * the outcome of the call that is already under way, and the call is not repeated.
 */
export function effectsUnderWay(effects: Effects): Effects {
  const underWay = new Map<string, Promise<EffectOutcome>>();
  return {
    perform(effect: Effect) {
      const found = underWay.get(effect.key);
      if (found !== undefined) return found;
      const begun = effects.perform(effect).finally(() => underWay.delete(effect.key));
      underWay.set(effect.key, begun);
      return begun;
    },
  };
}
