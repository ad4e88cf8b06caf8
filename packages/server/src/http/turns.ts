import { fairQueue } from '@baton/engine';

/**
 * Who is served next on the main thread. Reading a body and answering a request are done in one go; a tenant whose
 * requests each take a tenth of a second would keep everybody else waiting for all of them. After a few milliseconds
 * of work the rest waits for the next turn of the event loop, and tenants take turns then.
 */
export interface Turns {
  /** Calls `work` at once when there is little to do, else in the turn of the tenant. */
  take(tenant: string, work: () => void): void;
}

/** How much is done before sockets and timers are looked at again. */
const SLICE_MS = 4;

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
  const queue = fairQueue<() => void>();
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
      const work = queue.take();
      if (work === undefined) return;
      perform(work);
    }
    if (queue.size > 0) schedule();
  }

  function perform(work: () => void): void {
    const start = now();
    try {
      work();
    } finally {
      spent += now() - start;
    }
  }

  return {
    take(tenant, work) {
      schedule();
      if (queue.size === 0 && spent < SLICE_MS) perform(work);
      else queue.add(work, tenant, 'command');
    },
  };
}
