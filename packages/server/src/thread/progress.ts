import type { EndedSpan, Notice } from '@baton/engine';
import type { Slice, StoreChange } from '@baton/engine/ports';
import { collectFreshEvents } from './fresh-events.ts';
import type { FromEngine } from './messages.ts';
import { flatten } from './messages.ts';

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
  /** A reader follows the log of this run, or none does any more. */
  followed(runId: string, isFollowed: boolean): void;
  /** A change of stored data that the main thread may have in a cache. */
  changed(change: StoreChange): void;
}

export function progress(say: (message: FromEngine) => void): Progress {
  let replies: (number | string)[] = [];
  let notices: (number | string)[] = [];
  let fresh: (number | string)[] = [];
  let effects: (number | string)[] = [];
  let aborted: number[] = [];
  let events = 0;
  let changes: StoreChange[] = [];
  let flushing = false;
  const followed = new Set<string>();

  function flush(): void {
    flushing = false;
    say({ kind: 'progress', replies, notices, fresh, effects, aborted, events, changes });
    replies = [];
    notices = [];
    fresh = [];
    effects = [];
    aborted = [];
    events = 0;
    changes = [];
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
      collectFreshEvents(fresh, slice, (runId) => followed.has(runId));
    },
    followed(runId, isFollowed) {
      if (isFollowed) followed.add(runId);
      else followed.delete(runId);
    },
    changed(change) {
      // The main thread remembers nothing of memory, and most commits of some workflows write to it.
      if (change.kind === 'scope') return;
      changes.push(change);
      flushSoon();
    },
  };
}

/** Sends the spans of one turn of the event loop in one message. */
export function spanMessages(say: (message: FromEngine) => void): (spans: readonly EndedSpan[]) => void {
  let waiting: EndedSpan[] = [];
  return (spans) => {
    if (waiting.length === 0) {
      setImmediate(() => {
        say({ kind: 'spans', spans: JSON.stringify(waiting) });
        waiting = [];
      });
    }
    waiting.push(...spans);
  };
}
