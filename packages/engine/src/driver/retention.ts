import type { Clock } from '../ports/clock.ts';
import { mayPass, type Store } from '../ports/store.ts';

/** How long ended runs, and replaced or deleted entries of shared memory, are kept. Absent means for ever. */
export interface Retention {
  readonly logsMs?: number;
  readonly memoryMs?: number;
}

interface RetentionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly log: (level: 'warn' | 'error', message: string, fields: Record<string, unknown>) => void;
  readonly onFatal: (error: unknown) => void;
}

/** A pass removes a few trees or entries at a time, so that runs are hardly delayed. */
const TREES_AT_ONCE = 8;
const ENTRIES_AT_ONCE = 500;
const PASS_EVERY_MS = 60 * 60 * 1000;

/** Removes expired trees and memory, now and every hour. Data that a live run can reach never expires. */
export function removeExpired({ store, clock, retention, log, onFatal }: RetentionOptions): () => void {
  const { logsMs, memoryMs } = retention;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function pass(): Promise<void> {
    const now = clock.now();
    const trees = logsMs === undefined ? 0 : await all(() => store.purgeTrees(now - logsMs, TREES_AT_ONCE));
    const entries =
      memoryMs === undefined ? 0 : await all(() => store.pruneMemory(now - memoryMs, ENTRIES_AT_ONCE));
    if (trees + entries > 0) log('warn', 'expired trees and memory were removed', { trees, entries });
  }

  async function all(step: () => Promise<number>): Promise<number> {
    let sum = 0;
    for (;;) {
      const removed = stopped ? 0 : await step();
      if (removed === 0) return sum;
      sum += removed;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function passAndWait(): void {
    pass()
      .catch((problem) => {
        if (!mayPass(problem)) onFatal(problem);
      })
      .finally(() => {
        if (!stopped) cancel = clock.at(clock.now() + PASS_EVERY_MS, passAndWait);
      });
  }

  if (logsMs !== undefined || memoryMs !== undefined) passAndWait();
  return () => {
    stopped = true;
    cancel?.();
  };
}
