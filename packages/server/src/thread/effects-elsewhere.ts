import type { EffectContext, EffectOutcome, Effects, ProgressOf } from '@baton/engine/ports';

/** The effects of the engine thread. They are performed on the main thread, where the sockets are. */
interface EffectsElsewhere extends Effects {
  /** The main thread reports the outcome of the effect with this number. */
  settle(number: number, outcome: string): void;
  /** The main thread reports a part of the text that the effect brings. */
  progress(number: number, chunk: string, isLast: boolean, of?: ProgressOf): void;
}

interface EffectsElsewhereOptions {
  readonly ask: (number: number, effect: string) => void;
  readonly abort: (number: number) => void;
}

interface Asked {
  readonly context: EffectContext;
  readonly resolve: (outcome: EffectOutcome) => void;
}

export function effectsElsewhere({ ask, abort }: EffectsElsewhereOptions): EffectsElsewhere {
  const underWay = new Map<number, Asked>();
  let last = 0;
  return {
    perform(effect, context) {
      const number = ++last;
      return new Promise((resolve) => {
        underWay.set(number, { context, resolve });
        ask(number, JSON.stringify(effect));
        context.signal.addEventListener('abort', () => {
          if (underWay.has(number)) abort(number);
        });
      });
    },
    settle(number, outcome) {
      const asked = underWay.get(number);
      underWay.delete(number);
      asked?.resolve(JSON.parse(outcome));
    },
    progress(number, chunk, isLast, of) {
      underWay.get(number)?.context.progress(chunk, isLast, of);
    },
  };
}
