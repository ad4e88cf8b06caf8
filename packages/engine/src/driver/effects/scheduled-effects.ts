import type { Clock } from '../../ports/clock.ts';
import type { Effects } from '../../ports/effects.ts';
import type { Scheduler, SchedulerCalls } from '../../ports/scheduler.ts';
import type { Store } from '../../ports/store.ts';
import type { JobQueue } from '../rounds/job-queue.ts';
import { localScheduler } from '../schedule/local-scheduler.ts';
import type { HeldTrees } from '../trees/held-trees.ts';
import type { Ownership } from './effect-owners.ts';
import { type EffectsUnderWay, effectsUnderWay } from './effects-under-way.ts';
import { offeredEffects } from './offered-effects.ts';

/** Makes a scheduler from the one in this process, which goes on underneath. */
export type OtherScheduler = (calls: SchedulerCalls, underneath: Scheduler) => Scheduler;

interface ScheduledEffectsOptions {
  readonly port: Effects;
  readonly otherScheduler: OtherScheduler | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly held: HeldTrees;
  readonly queue: JobQueue;
  readonly ownership: Ownership;
  readonly atOnce: number;
  readonly report: Parameters<typeof effectsUnderWay>[0]['report'];
  readonly onFatal: (error: unknown) => void;
}

interface ScheduledEffects {
  readonly scheduler: Scheduler;
  readonly effects: EffectsUnderWay;
  /** Takes up effects that were handed out and that nobody performs. */
  sweep(): Promise<void>;
}

/** The scheduler of an engine, and the effects that it performs. Each calls the other. */
export function scheduledEffects({
  queue,
  otherScheduler,
  ...parts
}: ScheduledEffectsOptions): ScheduledEffects {
  const { store, clock, held, onFatal } = parts;
  const { wake } = queue;
  const calls: SchedulerCalls = {
    due(rootId, tenant, how) {
      if (how === 'adopted') offered?.adopted(rootId);
      wake(rootId, tenant);
    },
    perform: (effect) => effects.perform(effect),
    invited: async (invitation) => offered?.invited(invitation) ?? 'elsewhere',
    rung: (alarm) => local.rung(alarm),
  };
  const local = localScheduler({
    ...{ calls, store, clock, held, queued: queue.trees, onFatal },
    lateMs: () => scheduler.handsOut?.graceMs ?? 0,
  });
  const scheduler = otherScheduler?.(calls, local) ?? local;
  const options = {
    ...parts,
    scheduler,
    lookAgain: (rootId: string, lane: string, afterMs: number) =>
      queue.addLater({ job: { kind: 'tree', rootId }, lane }, clock.now() + afterMs),
  };
  const { handsOut } = scheduler;
  const offered = handsOut && offeredEffects({ ...options, handsOut, look: queue.look });
  const effects = offered ?? effectsUnderWay(options);
  return { scheduler, effects, sweep: async () => offered?.sweep() };
}
