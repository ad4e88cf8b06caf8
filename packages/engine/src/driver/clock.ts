import { v7 as uuidv7 } from 'uuid';
import type { Clock, Ids } from '../ports/clock.ts';

/** Timers of the platform hold at most this long; a longer wait is made of several. */
const LONGEST_TIMER_MS = 24 * 60 * 60 * 1000;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, callback) {
    const wait = Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS);
    const timer = setTimeout(callback, wait);
    return () => clearTimeout(timer);
  },
};

export const uuidIds: Ids = { rootRunId: (now) => uuidv7({ msecs: now }) };
