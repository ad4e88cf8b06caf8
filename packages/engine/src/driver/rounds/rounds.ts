import { turnOfOthers } from '../turn-of-others.ts';
import type { FinishedJob, JobsUnderWay } from './jobs-under-way.ts';

/**
 * The loop of the driver. Jobs are started, and the slices of those that are done are stored together, as one
 * round. While a round is being stored, jobs of other trees go on; what is done then is the next round.
 */
interface Rounds {
  /** There may be something to do. */
  pump(): void;
  /** Resolves when there is nothing to do, except effects under way and deadlines. */
  idle(): Promise<void>;
}

interface RoundsOptions {
  readonly jobs: JobsUnderWay;
  /** How many jobs wait in the queue. */
  readonly queued: () => number;
  /** Stores the slices of a round, then answers, and lets the trees of the round go on. */
  readonly store: (round: readonly FinishedJob[]) => Promise<void>;
  /** Work that must not happen while a round is stored, if it is due. */
  readonly between: { isDue(): boolean; write(): Promise<void> };
  readonly onFatal: (error: unknown) => void;
}

export function roundsOf({ jobs, queued, store, between, onFatal }: RoundsOptions): Rounds {
  let pumping: Promise<void> | undefined;
  let storing = false;
  let changed = false;
  let onChange: (() => void) | undefined;

  const hasWork = () => queued() > 0 || jobs.count > 0 || jobs.ready > 0 || storing || between.isDue();

  function change(): void {
    changed = true;
    onChange?.();
    onChange = undefined;
  }

  /** Returns whether a round is now being stored that was not before. */
  function storeReady(): boolean {
    if (storing || jobs.ready === 0) return false;
    storing = true;
    store(jobs.takeRound())
      .catch(onFatal)
      .finally(() => {
        storing = false;
        change();
      });
    return true;
  }

  async function loop(): Promise<void> {
    // Everything that came in the same message joins the first round.
    await Promise.resolve();
    while (hasWork()) {
      changed = false;
      if (!storing && between.isDue()) await between.write();
      const started = await jobs.start();
      const begun = storeReady();
      await turnOfOthers();
      if (!started && !begun && !changed && hasWork()) {
        await new Promise<void>((resolve) => {
          onChange = resolve;
        });
      }
    }
  }

  function pump(): void {
    change();
    pumping ??= loop()
      .catch(onFatal)
      .finally(() => {
        pumping = undefined;
        if (hasWork()) pump();
      });
  }

  return {
    pump,
    async idle() {
      while (pumping) await pumping;
    },
  };
}
