import type { Work, WorkInHand } from '../../ports/work-in-hand.ts';

/**
 * Measures how long a job works. The time during which it waits for the store does not count: other jobs work
 * then. Only one job works at any moment, and the watchdog is told which.
 */
export interface JobMeter {
  /** The job begins or goes on. */
  enter(): void;
  /** The job waits, or is done. */
  leave(): void;
  /** Milliseconds of work so far. */
  spent(): number;
  /** Waits for something outside the job, such as an answer of the store. */
  outside<T>(waiting: Promise<T>): Promise<T>;
}

export interface Meters {
  meterOf(work: Work): JobMeter;
  /** No job works: the thread is about to wait, or to do something else. */
  rest(): void;
}

export function metersOf(elapsed: () => number, inHand?: WorkInHand): Meters {
  let current: JobMeter | undefined;

  function meterOf(work: Work): JobMeter {
    let before = 0;
    let since: number | undefined;
    const meter: JobMeter = {
      enter() {
        since = elapsed();
        if (current === meter) return;
        current = meter;
        inHand?.take(work);
      },
      leave() {
        if (since !== undefined) before += elapsed() - since;
        since = undefined;
      },
      spent: () => (since === undefined ? before : before + elapsed() - since),
      async outside(waiting) {
        meter.leave();
        try {
          return await waiting;
        } finally {
          meter.enter();
        }
      },
    };
    return meter;
  }

  return {
    meterOf,
    rest() {
      if (current !== undefined) inHand?.putDown();
      current = undefined;
    },
  };
}
