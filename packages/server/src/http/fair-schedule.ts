import { fairQueue } from '@baton/engine';
import type { FastifyInstance } from 'fastify';

/**
 * Decides which tenant is served next on the main thread. Parsing one body or answering one request cannot be
 * interrupted. Without this, a tenant whose requests take a tenth of a second each would delay everybody else
 * until all of them are done. After some milliseconds of work the rest waits for the next iteration of the
 * event loop, which serves the tenants alternately.
 */
export interface FairSchedule {
  /** Calls `work` at once when there is little to do, otherwise when it is the tenant's time. */
  take(tenant: string, work: () => void): void;
}

/** Computes a value when it is the tenant's time. For work after a read, which is no part of the first turn. */
export function inTurn<T>(turns: FairSchedule, tenant: string, compute: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    turns.take(tenant, () => {
      try {
        resolve(compute());
      } catch (error) {
        reject(error);
      }
    });
  });
}

/**
 * How long work goes on before sockets and timers are served again. A shorter time makes smaller groups of
 * commands.
 */
const SLICE_MS = 12;

/** A tenant whose last piece of work took this long is expected to take as long again. */
const EXPENSIVE_MS = 5;

/**
 * After a piece of expensive work, the next one waits as long as the first took, but at most this long. In
 * this time, other requests can go to the engine and back, so that they wait for one expensive piece and not
 * for several.
 */
const LONGEST_PAUSE_MS = 8;

interface Waiting {
  readonly tenant: string;
  readonly work: () => void;
}

interface ScheduleClock {
  now(): number;
  /** Calls back in the next iteration of the event loop. */
  later(callback: () => void): void;
  after(ms: number, callback: () => void): void;
}

const EVENT_LOOP: ScheduleClock = {
  now: () => performance.now(),
  later: (callback) => void setImmediate(callback),
  after: (ms, callback) => void setTimeout(callback, ms),
};

export function createFairSchedule({ now, later, after }: ScheduleClock = EVENT_LOOP): FairSchedule {
  const queue = fairQueue<Waiting>();
  let spent = 0;
  let scheduled = false;
  let pausesUntil = 0;
  /** The pause that begins with the next turn: answers are written after the work that is timed here. */
  let pauseDue = 0;
  let pausing = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    later(nextTurn);
  }

  function nextTurn(): void {
    scheduled = false;
    spent = 0;
    if (pauseDue > 0) pausesUntil = now() + pauseDue;
    pauseDue = 0;
    while (spent < SLICE_MS) {
      const next = queue.next();
      if (next === undefined) return;
      if (isExpensive(next.tenant)) {
        if (now() < pausesUntil) {
          pause();
          return;
        }
        // Others were served in this iteration. Their commands and answers leave before this work begins.
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
      if (took >= EXPENSIVE_MS) pauseDue = Math.min(took, LONGEST_PAUSE_MS);
      queue.charge(tenant, took);
    }
  }

  return {
    take(tenant, work) {
      const waiting = { tenant, work };
      if (queue.size > 0 || spent >= SLICE_MS || isExpensive(tenant)) queue.add(waiting, tenant, 'command');
      else perform(waiting);
      // Spent time adds up over several iterations, so that very short requests need no timer.
      if (queue.size > 0 || spent >= SLICE_MS) schedule();
    },
  };
}

/**
 * Makes requests without a body wait for their tenant. Requests with a body waited before the body was
 * parsed.
 */
export function scheduleRequests(app: FastifyInstance, turns: FairSchedule): void {
  app.addHook('preValidation', (request, reply, done) => {
    if (request.identity === null || request.body !== undefined) return done();
    turns.take(request.identity.tenant, () => {
      // The client has gone, so no answer is needed.
      if (!reply.raw.destroyed) done();
    });
  });
}
