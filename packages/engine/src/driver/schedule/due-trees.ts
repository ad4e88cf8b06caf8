import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { TreeRef } from '../../ports/trouble.ts';
import type { Loss } from '../../ports/work-in-hand.ts';
import { turnOfOthers } from '../rounds/jobs-under-way.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import { alarmOf } from './alarm.ts';

/** Wakes the trees that time alone moves, and at the start those that were under way. */
interface DueTrees {
  /** A tree is due at this time. */
  by(time: number): void;
  /** Wakes every tree that was under way, and those that are due. */
  recover(losses: readonly Loss[]): Promise<void>;
  stop(): void;
}

interface DueTreesOptions {
  readonly store: Pick<Store, 'due' | 'nextWake' | 'unfinished'>;
  readonly clock: Clock;
  readonly held: HeldTrees;
  readonly wake: (rootId: string, lane: string) => void;
  /** How many trees are queued. */
  readonly queued: () => number;
  readonly onFatal: (error: unknown) => void;
}

const DUE_AT_ONCE = 500;
/** Due trees that are queued at most. The others stay due, and are looked for again. */
const DUE_QUEUED = 50_000;
const LOOK_AGAIN_MS = 20;

export function dueTreesOf({ store, clock, held, wake, queued, onFatal }: DueTreesOptions): DueTrees {
  const alarm = alarmOf(clock, () => void ring().catch(onFatal));
  let stopped = false;

  async function wakeAll(trees: readonly TreeRef[]): Promise<void> {
    for (const { rootId, tenant } of await held.admit(trees)) wake(rootId, tenant);
  }

  async function ring(): Promise<void> {
    const now = clock.now();
    let page = await store.due(now, DUE_AT_ONCE);
    await wakeAll(page.items);
    // All pages, so that the trees of one tenant do not hide those of another. Commands go on in between.
    while (page.next !== undefined && !stopped && queued() < DUE_QUEUED) {
      await turnOfOthers();
      page = await store.due(now, DUE_AT_ONCE, page.next);
      await wakeAll(page.items);
    }
    const next = await store.nextWake();
    // Trees that are due now are queued, and say themselves when they are due again.
    if (next !== undefined && !stopped) alarm.by(Math.max(next, now + LOOK_AGAIN_MS));
  }

  return {
    by: (time) => {
      if (!stopped) alarm.by(time);
    },
    async recover(losses) {
      await held.recall(losses);
      await wakeAll(await store.unfinished());
      await ring();
    },
    stop() {
      stopped = true;
      alarm.stop();
    },
  };
}
