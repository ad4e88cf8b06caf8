import type { EffectContext } from '../../../engine/src/ports/effects.ts';

/** For a test that performs an effect itself: nobody hears of its progress, and it is never aborted. */
export const UNHEARD: EffectContext & { reasoned(text: string): void } = {
  signal: new AbortController().signal,
  progress: () => undefined,
  reasoned: () => undefined,
};
