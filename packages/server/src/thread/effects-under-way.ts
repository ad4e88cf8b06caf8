import type { Effect, EffectContext, EffectOutcome, Effects } from '@baton/engine/ports';

interface Call {
  readonly abort: AbortController;
  readonly outcome: Promise<EffectOutcome>;
}

/**
 * Effects that are being performed. An engine that is restarted meanwhile asks for them again. It is given
 * the outcome of the call that is already under way, and the call is not repeated.
 */
export function effectsUnderWay(effects: Effects): Effects {
  const underWay = new Map<string, Call>();
  const listeners = new Map<string, EffectContext>();

  function begin(effect: Effect): Call {
    const { key } = effect;
    const abort = new AbortController();
    const progress: EffectContext['progress'] = (chunk, isLast, of) =>
      listeners.get(key)?.progress(chunk, isLast, of);
    const outcome = effects.perform(effect, { signal: abort.signal, progress }).finally(() => {
      underWay.delete(key);
      listeners.delete(key);
    });
    const call = { abort, outcome };
    underWay.set(key, call);
    return call;
  }

  return {
    perform(effect, context) {
      // First, because a call may report its first progress before `begin` returns.
      listeners.set(effect.key, context);
      const { outcome, abort } = underWay.get(effect.key) ?? begin(effect);
      context.signal.addEventListener('abort', () => abort.abort());
      return outcome;
    },
  };
}
