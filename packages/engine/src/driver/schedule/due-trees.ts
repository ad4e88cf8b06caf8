import type { Clock } from '../../ports/clock.ts';
import { mayPass, type Store } from '../../ports/store.ts';
import type { TreeRef } from '../../ports/trouble.ts';
import type { Loss } from '../../ports/work-in-hand.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import { turnOfOthers } from '../turn-of-others.ts';
import { alarmOf } from './alarm.ts';

/** Wakes the trees that time alone moves, and at the start those that were under way. */
interface DueTrees {
  /** A tree is due at this time. */
  by(time: number): void;
  /** Wakes every tree that was under way, and those that are due. */
  recover(losses: readonly Loss[]): Promise<void>;
  /** Wakes trees of hosts that are no longer at work. */
  adopt(): Promise<void>;
  stop(): void;
}

interface DueTreesOptions {
  readonly store: Pick<Store, 'due' | 'nextWake' | 'unfinished' | 'adoptTrees'>;
  readonly clock: Clock;
  readonly held: HeldTrees;
  readonly wake: (rootId: string, lane: string, how?: 'adopted') => void;
  /** How many trees are queued. */
  readonly queued: () => number;
  readonly onFatal: (error: unknown) => void;
}

const DUE_AT_ONCE = 500;
/** Due trees that are queued at most. The others stay due, and are looked for again. */
const DUE_QUEUED = 50_000;
const LOOK_AGAIN_MS = 20;
const RING_AGAIN_MS = 1000;
const ADOPTED_AT_ONCE = 200;

export function dueTreesOf({ store, clock, held, wake, queued, onFatal }: DueTreesOptions): DueTrees {
  const alarm = alarmOf(clock, () => void ring().catch(ringLater));
  let stopped = false;
  /** Trees may be left that a host kept which is no longer at work. */
  let mayHaveOrphans = false;
  /** An adoption failed, so this host may keep trees that it has not woken. */
  let mayHaveAdopted = false;

  async function wakeAll(trees: readonly TreeRef[], how?: 'adopted'): Promise<void> {
    for (const { rootId, tenant } of await held.admit(trees)) wake(rootId, tenant, how);
  }

  async function adoptAll(): Promise<void> {
    for (;;) {
      const trees = stopped ? [] : await store.adoptTrees(ADOPTED_AT_ONCE);
      if (trees.length === 0) return;
      await wakeAll(trees, 'adopted');
    }
  }

  async function adoptOrphans(): Promise<void> {
    if (!mayHaveOrphans) return;
    // Another host may be lost meanwhile. Its trees are then looked for again.
    mayHaveOrphans = false;
    const hadAdopted = mayHaveAdopted;
    mayHaveAdopted = false;
    try {
      await adoptAll();
      if (hadAdopted) await wakeAll(await store.unfinished(), 'adopted');
    } catch (problem) {
      mayHaveOrphans = true;
      mayHaveAdopted = true;
      throw problem;
    }
  }

  async function ring(): Promise<void> {
    await adoptOrphans();
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

  /** Deadlines and keepers are rows, so a store that could not be reached is asked again. */
  function ringLater(problem: unknown): void {
    if (!mayPass(problem)) onFatal(problem);
    else if (!stopped) alarm.by(clock.now() + RING_AGAIN_MS);
  }

  return {
    by: (time) => {
      if (!stopped) alarm.by(time);
    },
    async recover(losses) {
      await held.recall(losses);
      // Their hosts may have stopped while no other host was there to notice it.
      while ((await store.adoptTrees(ADOPTED_AT_ONCE)).length > 0);
      await wakeAll(await store.unfinished(), 'adopted');
      await ring();
    },
    async adopt() {
      mayHaveOrphans = true;
      await ring().catch(ringLater);
    },
    stop() {
      stopped = true;
      alarm.stop();
    },
  };
}
