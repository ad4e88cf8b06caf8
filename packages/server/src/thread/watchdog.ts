import type { InHand } from './in-hand.ts';

/**
 * Detects that the engine does not finish a piece of work. The watchdog looks at regular intervals and counts
 * how often it saw the same work. It does not measure time, because a machine may have been asleep.
 */
export interface Watchdog {
  stop(): void;
}

export interface WatchdogOptions {
  readonly look: () => InHand;
  readonly onStall: (work: InHand) => void;
  readonly everyMs?: number;
  /** Calls back at regular intervals until the returned function is called. */
  readonly every?: (ms: number, callback: () => void) => () => void;
}

const EVERY_MS = 1000;

/** How often the same work may be seen. A step takes milliseconds; work on stored data may take minutes. */
export const LOOKS = { step: 10, long: 300 } as const;

export function watch({ look, onStall, everyMs = EVERY_MS, every = repeat }: WatchdogOptions): Watchdog {
  let seen = -1;
  let times = 0;
  const stop = every(everyMs, () => {
    const work = look();
    times = work.turn === seen ? times + 1 : 1;
    seen = work.turn;
    if (work.length === 'none' || times <= LOOKS[work.length]) return;
    times = 0;
    onStall(work);
  });
  return { stop };
}

function repeat(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms);
  timer.unref();
  return () => clearInterval(timer);
}
