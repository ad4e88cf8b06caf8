import type { Later } from './timers.ts';

/**
 * When the bytes that have arrived for a call are read. Reading a stream costs far more for a part of it than
 * for a byte, and so does all that follows: a message to the main thread, a write to each reader. So the bytes
 * of all calls wait for a moment and are read together.
 */
export type Pace = (read: () => void) => void;

/** How long bytes wait. With many calls they wait longer: 200 calls that speak are read every 100 ms. */
const LEAST_MS = 25;
const MOST_MS = 250;
const MS_FOR_A_CALL = 0.5;

export function commonPace(later: Later): Pace {
  let waiting: (() => void)[] = [];
  let before = 0;

  function readAll(): void {
    const ready = waiting;
    waiting = [];
    before = ready.length;
    for (const read of ready) read();
  }

  return (read) => {
    if (waiting.length === 0) later(Math.min(Math.max(LEAST_MS, before * MS_FOR_A_CALL), MOST_MS), readAll);
    waiting.push(read);
  };
}
