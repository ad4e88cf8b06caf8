import type { Clock } from '../../ports/clock.ts';
import type { Alarm } from '../../ports/scheduler.ts';
import { mayPass, type Store } from '../../ports/store.ts';
import type { TreeRef } from '../../ports/trouble.ts';
import type { Loss } from '../../ports/work-in-hand.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import { turnOfOthers } from '../turn-of-others.ts';

/** Wakes the trees that time alone moves, and at the start those that were under way. */
interface DueTrees {
  /** A tree is due at this time. */
  by(time: number): void;
  /** Wakes every tree that was under way, and those that are due. */
  recover(losses: readonly Loss[]): Promise<void>;
  /** Wakes trees of hosts that are no longer at work. */
  adopt(): Promise<void>;
  /** Wakes a tree whose deadline has come, if it still has it. */
  rung(alarm: Alarm): Promise<void>;
  stop(): void;
}

interface DueTreesOptions {
  readonly store: Pick<Store, 'due' | 'nextWake' | 'unfinished' | 'adoptTrees' | 'ringTree'>;
  readonly clock: Clock;
  readonly held: HeldTrees;
  readonly wake: (rootId: string, lane: string, how?: 'adopted') => void;
  /** How many trees are queued. */
  readonly queued: () => number;
  /** Another scheduler rings the deadlines. Those that are this late are rung here. */
  readonly lateMs: () => number;
  readonly onFatal: (error: unknown) => void;
}

const DUE_AT_ONCE = 500;
/** Due trees that are queued at most. The others stay due, and are looked for again. */
const DUE_QUEUED = 50_000;
const LOOK_AGAIN_MS = 20;
const RING_AGAIN_MS = 1000;
const ADOPTED_AT_ONCE = 200;
/** An alarm that comes earlier than this is no alarm of a scheduler whose clock is only ahead. */
const MOST_AHEAD_MS = 60_000;

export function dueTreesOf(options: DueTreesOptions): DueTrees {
  const { store, clock, held, wake, queued, lateMs, onFatal } = options;
  const alarm = timerOf(clock, () => void ring().catch(ringLater));
  let stopped = false;

  async function wakeAll(trees: readonly TreeRef[], how?: 'adopted'): Promise<void> {
    for (const { rootId, tenant } of await held.admit(trees)) wake(rootId, tenant, how);
  }
  const orphans = orphansOf(store, wakeAll, () => stopped);

  async function ring(): Promise<void> {
    await orphans.adopt();
    const now = clock.now() - lateMs();
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
    if (next !== undefined && !stopped) alarm.by(Math.max(next, now + LOOK_AGAIN_MS) + lateMs());
  }

  /** Deadlines and keepers are rows, so a store that could not be reached is asked again. */
  function ringLater(problem: unknown): void {
    if (!mayPass(problem)) onFatal(problem);
    else if (!stopped) alarm.by(clock.now() + RING_AGAIN_MS);
  }

  return {
    by: (time) => {
      if (!stopped) alarm.by(time + lateMs());
    },
    async recover(losses) {
      await held.recall(losses);
      // Their hosts may have stopped while no other host was there to notice it.
      while ((await store.adoptTrees(ADOPTED_AT_ONCE)).length > 0);
      await wakeAll(await store.unfinished(), 'adopted');
      await ring();
    },
    async adopt() {
      orphans.expect();
      await ring().catch(ringLater);
    },
    async rung({ rootId, at }) {
      if (at > clock.now() + MOST_AHEAD_MS) return;
      await reached(clock, at);
      const tree = stopped ? undefined : await store.ringTree(rootId, clock.now());
      if (tree === undefined) return;
      await wakeAll([tree]);
      // If it is not computed, this host finds it again.
      alarm.by(clock.now() + lateMs());
    },
    stop() {
      stopped = true;
      alarm.stop();
    },
  };
}

/** The clock of another scheduler may be ahead. */
async function reached(clock: Clock, at: number): Promise<void> {
  while (clock.now() < at) await new Promise<void>((resolve) => void clock.at(at, resolve));
}

/** The trees that a host kept which is no longer at work. */
function orphansOf(
  store: Pick<Store, 'adoptTrees' | 'unfinished'>,
  wakeAll: (trees: readonly TreeRef[], how: 'adopted') => Promise<void>,
  isStopped: () => boolean,
) {
  let mayBeThere = false;
  /** An adoption failed, so this host may keep trees that it has not woken. */
  let mayHaveAdopted = false;

  async function adoptAll(): Promise<void> {
    for (;;) {
      const trees = isStopped() ? [] : await store.adoptTrees(ADOPTED_AT_ONCE);
      if (trees.length === 0) return;
      await wakeAll(trees, 'adopted');
    }
  }

  return {
    expect(): void {
      mayBeThere = true;
    },
    async adopt(): Promise<void> {
      if (!mayBeThere) return;
      // Another host may be lost meanwhile. Its trees are then looked for again.
      mayBeThere = false;
      const hadAdopted = mayHaveAdopted;
      mayHaveAdopted = false;
      try {
        await adoptAll();
        if (hadAdopted) await wakeAll(await store.unfinished(), 'adopted');
      } catch (problem) {
        mayBeThere = true;
        mayHaveAdopted = true;
        throw problem;
      }
    },
  };
}

/** One timer for all trees: rings at the earliest known deadline. */
function timerOf(clock: Clock, ring: () => void) {
  let set: { readonly time: number; readonly cancel: () => void } | undefined;
  return {
    /** Rings at `time` at the latest. An earlier deadline that is already set stays. */
    by(time: number): void {
      if (set && set.time <= time) return;
      set?.cancel();
      const cancel = clock.at(time, () => {
        set = undefined;
        ring();
      });
      set = { time, cancel };
    },
    stop(): void {
      set?.cancel();
      set = undefined;
    },
  };
}
