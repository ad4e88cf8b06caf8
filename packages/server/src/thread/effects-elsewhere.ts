import type { EffectOutcome, Effects } from '@baton/engine/ports';

/** The effects of the engine thread. They are performed on the main thread, where the sockets are. */
interface EffectsElsewhere extends Effects {
  /** The main thread reports the outcome of the effect with this number. */
  settle(number: number, outcome: string): void;
}

export function effectsElsewhere(ask: (number: number, effect: string) => void): EffectsElsewhere {
  const underWay = new Map<number, (outcome: EffectOutcome) => void>();
  let last = 0;
  return {
    perform(effect) {
      const number = ++last;
      return new Promise((resolve) => {
        underWay.set(number, resolve);
        ask(number, JSON.stringify(effect));
      });
    },
    settle(number, outcome) {
      const resolve = underWay.get(number);
      underWay.delete(number);
      resolve?.(JSON.parse(outcome));
    },
  };
}
