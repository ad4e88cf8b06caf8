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

interface Waiting {
  readonly tenant: string;
  readonly work: () => void;
}

export interface TurnsClock {
  now(): number;
  /** Calls back in the next turn of the event loop. */
  later(callback: () => void): void;
}

const EVENT_LOOP: TurnsClock = {
  now: () => performance.now(),
  later: (callback) => void setImmediate(callback),
};

export function createTurns({ now, later }: TurnsClock = EVENT_LOOP): Turns {
  const queue = fairQueue<Waiting>();
  let spent = 0;
  let scheduled = false;

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
      // Work of others was done in this turn: their commands and answers leave before it is this tenant's turn.
      if (spent > 0 && isExpensive(next.tenant)) break;
      perform(queue.take() ?? next);
    }
    if (queue.size > 0) schedule();
  }

  function isExpensive(tenant: string): boolean {
    return queue.lastTook(tenant) >= SLICE_MS;
  }

  function perform({ tenant, work }: Waiting): void {
    const start = now();
    try {
      work();
    } finally {
      const took = now() - start;
      spent += took;
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
