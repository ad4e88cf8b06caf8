import type { Clock } from '../../ports/clock.ts';
import { StoreUnavailableError } from '../../ports/store.ts';

const AGAIN_AFTER_MS = 500;

/** Does the work again as long as the store cannot be reached. The work can be done twice without harm. */
export async function untilReached<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (problem) {
      if (!(problem instanceof StoreUnavailableError)) throw problem;
      await new Promise<void>((resolve) => void clock.at(clock.now() + AGAIN_AFTER_MS, resolve));
    }
  }
}
