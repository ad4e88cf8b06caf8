import type { Clock } from '@baton/engine';

/** A clock that is wrong by so much. */
export function wrongClock(clock: Clock, wrongBy: number): Clock {
  return {
    now: () => clock.now() + wrongBy,
    at: (time, ring) => clock.at(time - wrongBy, ring),
  };
}

/** A smaller difference may come from the way to the database and back. */
const WORTH_CORRECTING_MS = 25;

/** Follows the clock of the database, as `thread/run-engine-thread.ts` of the server. */
export function correctedClock(own: Clock): { readonly clock: Clock; measured(offsetMs: number): void } {
  let offset = 0;
  return {
    clock: {
      now: () => own.now() + offset,
      at: (time, ring) => own.at(time - offset, ring),
    },
    measured(offsetMs) {
      if (Math.abs(offsetMs - offset) >= WORTH_CORRECTING_MS) offset = Math.round(offsetMs);
    },
  };
}
