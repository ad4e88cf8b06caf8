import type { Effect } from './effects.ts';
import type { Loss } from './work-in-hand.ts';

/**
 * Decides when a tree is computed without a command, and when an effect is performed. All times are epoch
 * milliseconds. What a scheduler is told is durable already: deadlines and intended effects are in the store.
 */
export interface Scheduler {
  /** The tree is due at this time. */
  wake(rootId: string, at: number): void;
  /** The effect is to be performed at this time, or at once if the time has passed. */
  perform(effect: Effect, at: number): void;
  /** The effect need not be performed any more. */
  withdraw(effect: Effect): void;
  /** Calls for every tree that was under way and for those that are due. */
  recover(losses: readonly Loss[]): Promise<void>;
  stop(): void;
}

/** What a scheduler calls when it is time. */
export interface SchedulerCalls {
  due(rootId: string, tenant: string): void;
  perform(effect: Effect): void;
}
