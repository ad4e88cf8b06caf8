import type { Backlogs, SettledDelivery } from '@baton/engine/ports';

interface SettlingParts {
  readonly store: (settled: readonly SettledDelivery[]) => Promise<Backlogs>;
  readonly onStored: (backlogs: Backlogs) => void;
  /** Resolves when a write may begin, or when the host stops. Outcomes that come meanwhile belong to the write. */
  readonly gather: () => Promise<void>;
  /** Resolves after a pause, or when the host stops. */
  readonly pause: () => Promise<void>;
  readonly isStopping: () => boolean;
  readonly onProblem: (problem: unknown) => void;
}

/** Stores what has become of deliveries: all that settle while one write is under way are the next write. */
interface Settling {
  /** Resolves when it is stored. A later call for the same delivery takes the place of one that has not begun. */
  settle(settled: SettledDelivery): Promise<void>;
  /** Resolves when everything is stored. */
  idle(): Promise<void>;
}

export function settling({ store, onStored, gather, pause, isStopping, onProblem }: SettlingParts): Settling {
  let gathered = new Map<number, SettledDelivery>();
  let next: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    await gather();
    next = undefined;
    const settled = [...gathered.values()];
    gathered = new Map();
    for (;;) {
      try {
        onStored(await store(settled));
        return;
      } catch (problem) {
        onProblem(problem);
        // The next start repeats the deliveries whose outcome was not stored.
        if (isStopping()) return;
        await pause();
      }
    }
  }

  return {
    settle(settled) {
      gathered.set(settled.number, settled);
      if (next === undefined) {
        next = last.then(write);
        last = next;
      }
      return next;
    },
    idle: () => last,
  };
}
