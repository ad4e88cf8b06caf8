import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Clock, Ids } from '../ports/clock.ts';

/** The longest wait of one timer. A longer wait is made of several timers. */
const LONGEST_TIMER_MS = 24 * 60 * 60 * 1000;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, callback) {
    const wait = Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS);
    const timer = setTimeout(callback, wait);
    return () => clearTimeout(timer);
  },
};

/** Random bytes for 256 ids at once: one system call for each id would cost as much as a short run. */
const pool = new Uint8Array(16 * 256);
let drawn = pool.length;

function sixteenBytes(): Uint8Array {
  if (drawn === pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += 16;
  return pool.slice(drawn - 16, drawn);
}

export const uuidIds: Ids = { rootRunId: (now) => uuidv7({ msecs: now, random: sixteenBytes() }) };
