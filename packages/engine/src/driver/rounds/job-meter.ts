import type { Work, WorkInHand } from '../../ports/work-in-hand.ts';
import { turnOfOthers } from '../turn-of-others.ts';

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

/** `turn` resolves after the present turn of the event loop. */
export function metersOf(elapsed: () => number, inHand?: WorkInHand, turn = turnOfOthers): Meters {
  /** The job that the watchdog was told of last. It need not be working any more. */
  let current: JobMeter | undefined;
  let working: JobMeter | undefined;
  let looksLater = false;

  function rest(): void {
    if (current !== undefined) inHand?.putDown();
    current = undefined;
  }

  /**
   * A store may take long to answer, and a tree that waits for it must not be taken for one that hangs the
   * engine. Most answers come within the same turn: then the tree stays in hand, and nothing is written.
   */
  function restUnlessWorking(): void {
    if (looksLater) return;
    looksLater = true;
    void turn().then(() => {
      looksLater = false;
      if (working === undefined) rest();
    });
  }

  function meterOf(work: Work): JobMeter {
    let before = 0;
    let since: number | undefined;
    const meter: JobMeter = {
      enter() {
        since = elapsed();
        working = meter;
        if (current === meter) return;
        current = meter;
        inHand?.take(work);
      },
      leave() {
        if (since !== undefined) before += elapsed() - since;
        since = undefined;
        if (working !== meter) return;
        working = undefined;
        restUnlessWorking();
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

  return { meterOf, rest };
}
