import type { Notice } from '@baton/engine';
import type { Slice } from '@baton/engine/ports';
import { collectFreshEvents } from './fresh-events.ts';
import type { FromEngine } from './messages.ts';
import { flatten } from './notices.ts';

/** Gathers the news of the engine thread: one message for everything that settled in one iteration of the event loop. */
export interface Progress {
  replied(id: number, reply: string): void;
  moved(notices: readonly Notice[]): void;
  /** An effect has to be performed. */
  asked(number: number, effect: string): void;
  /** The outcome of the effect is no longer awaited. */
  aborted(number: number): void;
  /** Sent with the replies and notices that follow every commit. */
  committed(slice: Slice): void;
}

export function progress(say: (message: FromEngine) => void): Progress {
  let replies: (number | string)[] = [];
  let notices: (number | string)[] = [];
  let fresh: (number | string)[] = [];
  let effects: (number | string)[] = [];
  let aborted: number[] = [];
  let events = 0;
  let flushing = false;

  function flush(): void {
    flushing = false;
    say({ kind: 'progress', replies, notices, fresh, effects, aborted, events });
    replies = [];
    notices = [];
    fresh = [];
    effects = [];
    aborted = [];
    events = 0;
  }

  function flushSoon(): void {
    if (flushing) return;
    flushing = true;
    process.nextTick(flush);
  }

  return {
    replied(id, reply) {
      replies.push(id, reply);
      flushSoon();
    },
    moved(told) {
      flatten(notices, told);
      flushSoon();
    },
    asked(number, effect) {
      effects.push(number, effect);
      flushSoon();
    },
    aborted(number) {
      aborted.push(number);
      flushSoon();
    },
    committed(slice) {
      for (const run of slice.runs) events += run.events.length;
      collectFreshEvents(fresh, slice);
    },
  };
}
