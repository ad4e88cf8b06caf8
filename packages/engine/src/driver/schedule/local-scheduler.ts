import type { Clock } from '../../ports/clock.ts';
import type { Effect } from '../../ports/effects.ts';
import type { Alarm, Scheduler, SchedulerCalls } from '../../ports/scheduler.ts';
import { dueTreesOf } from './due-trees.ts';

type DueTreesOptions = Parameters<typeof dueTreesOf>[0];

interface LocalSchedulerOptions extends Omit<DueTreesOptions, 'wake'> {
  readonly calls: SchedulerCalls;
  readonly clock: Clock;
}

interface LocalScheduler extends Scheduler {
  /** Another scheduler says that the deadline of a tree has come. */
  rung(alarm: Alarm): Promise<void>;
}

/** The scheduler in this process: timers of the clock, and the deadlines in the store. */
export function localScheduler(options: LocalSchedulerOptions): LocalScheduler {
  const { calls, clock } = options;
  const trees = dueTreesOf({ ...options, wake: calls.due });
  const later = new Map<string, () => void>();

  /** A timer may ring early when the wait is very long. */
  function perform(effect: Effect, at: number): void {
    if (at <= clock.now()) {
      later.delete(effect.key);
      calls.perform(effect);
    } else
      later.set(
        effect.key,
        clock.at(at, () => perform(effect, at)),
      );
  }

  return {
    wake(_rootId, at) {
      if (at !== null) trees.by(at);
    },
    rung: trees.rung,
    perform,
    withdraw({ key }) {
      later.get(key)?.();
      later.delete(key);
    },
    recover: trees.recover,
    adopt: trees.adopt,
    stop() {
      trees.stop();
      for (const cancel of later.values()) cancel();
      later.clear();
    },
  };
}
