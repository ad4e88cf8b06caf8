import type { EffectContext } from '../ports/effects.ts';

/** For a test that performs an effect itself: nobody hears of its progress, and it is never aborted. */
export const UNHEARD: EffectContext = {
  signal: new AbortController().signal,
  progress: () => undefined,
};
