import { fairQueue } from '@baton/engine';

/**
 * Who is served next on the main thread. Reading a body and answering a request are done in one go; a tenant whose
 * requests each take a tenth of a second would keep everybody else waiting for all of them. After some milliseconds
 * of work the rest waits for the next turn of the event loop, and tenants take turns then.
 */
export interface Turns {
  /** Calls `work` at once when there is little to do, else in the turn of the tenant. */
  take(tenant: string, work: () => void): void;
}

/** How much is done before sockets and timers are looked at again. Shorter slices make smaller groups of commands. */
const SLICE_MS = 12;

/** A tenant whose last piece of work took so long is expected to take as long again. */
const EXPENSIVE_MS = 5;

/**
 * After a piece of expensive work, none begins for as long as it took, or for this long: requests that came meanwhile
 * go to the engine and back in this time, and wait for one piece of expensive work instead of several.
 */
const LONGEST_PAUSE_MS = 8;

interface Waiting {
  readonly tenant: string;
  readonly work: () => void;
}

export interface TurnsClock {
  now(): number;
  /** Calls back in the next turn of the event loop. */
  later(callback: () => void): void;
  after(ms: number, callback: () => void): void;
}

const EVENT_LOOP: TurnsClock = {
  now: () => performance.now(),
  later: (callback) => void setImmediate(callback),
  after: (ms, callback) => void setTimeout(callback, ms),
};

export function createTurns({ now, later, after }: TurnsClock = EVENT_LOOP): Turns {
  const queue = fairQueue<Waiting>();
  let spent = 0;
  let scheduled = false;
  let pausesUntil = 0;
  let pausing = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    later(nextTurn);
  }

  function nextTurn(): void {
    scheduled = false;
    spent = 0;
    while (spent < SLICE_MS) {
      const next = queue.next();
      if (next === undefined) return;
      if (isExpensive(next.tenant)) {
        if (now() < pausesUntil) {
          pause();
          return;
        }
        // Work of others was done in this turn: their commands and answers leave before it is this tenant's turn.
        if (spent > 0) break;
      }
      perform(queue.take() ?? next);
    }
    if (queue.size > 0) schedule();
  }

  function pause(): void {
    if (pausing) return;
    pausing = true;
    after(pausesUntil - now(), () => {
      pausing = false;
      schedule();
    });
  }

  function isExpensive(tenant: string): boolean {
    return queue.lastTook(tenant) >= EXPENSIVE_MS;
  }

  function perform({ tenant, work }: Waiting): void {
    const start = now();
    try {
      work();
    } finally {
      const took = now() - start;
      spent += took;
      if (took >= EXPENSIVE_MS) pausesUntil = start + took + Math.min(took, LONGEST_PAUSE_MS);
      queue.charge(tenant, took);
    }
  }

  return {
    take(tenant, work) {
      const waiting = { tenant, work };
      if (queue.size > 0 || spent >= SLICE_MS || isExpensive(tenant)) queue.add(waiting, tenant, 'command');
      else perform(waiting);
      // Work is counted over turns of the event loop, so that requests that take no time need no timer.
      if (queue.size > 0 || spent >= SLICE_MS) schedule();
    },
  };
}
