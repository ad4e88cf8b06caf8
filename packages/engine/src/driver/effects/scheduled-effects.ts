import type { Clock } from '../../ports/clock.ts';
import type { Effects } from '../../ports/effects.ts';
import type { Scheduler, SchedulerCalls } from '../../ports/scheduler.ts';
import type { Store } from '../../ports/store.ts';
import type { JobQueue } from '../rounds/job-queue.ts';
import { localScheduler } from '../schedule/local-scheduler.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import type { Ownership } from './effect-owners.ts';
import { type EffectsUnderWay, effectsUnderWay } from './effects-under-way.ts';

interface ScheduledEffectsOptions {
  readonly port: Effects;
  /** Makes a scheduler in place of the one in this process. */
  readonly otherScheduler: ((calls: SchedulerCalls) => Scheduler) | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly held: HeldTrees;
  readonly queue: JobQueue;
  readonly ownership: Ownership;
  readonly atOnce: number;
  readonly report: Parameters<typeof effectsUnderWay>[0]['report'];
  readonly onFatal: (error: unknown) => void;
}

/** The scheduler of an engine, and the effects that it performs. Each calls the other. */
export function scheduledEffects({ queue, otherScheduler, ...parts }: ScheduledEffectsOptions): {
  readonly scheduler: Scheduler;
  readonly effects: EffectsUnderWay;
} {
  const { store, clock, held, onFatal } = parts;
  const calls: SchedulerCalls = { due: queue.wake, perform: (effect) => effects.perform(effect) };
  const scheduler: Scheduler =
    otherScheduler?.(calls) ?? localScheduler({ calls, store, clock, held, queued: queue.trees, onFatal });
  const effects = effectsUnderWay({
    ...parts,
    scheduler,
    lookAgain: (rootId, lane, afterMs) =>
      queue.addLater({ job: { kind: 'tree', rootId }, lane }, clock.now() + afterMs),
  });
  return { scheduler, effects };
}
