import type { Effect } from './effects.ts';
import type { Loss } from './work-in-hand.ts';

/**
 * Decides when a tree is computed without a command, and when an effect is performed. All times are epoch
 * milliseconds. What a scheduler is told is durable already: deadlines and intended effects are in the store.
 */
export interface Scheduler {
  /** The tree is due at this time, and not at one that was named before; with null, it is not due at any time. */
  wake(rootId: string, at: number | null): void;
  /** The effect is to be performed at this time, or at once if the time has passed. */
  perform(effect: Effect, at: number): void;
  /** The effect need not be performed any more. */
  withdraw(effect: Effect): void;
  /** Calls for every tree that was under way and for those that are due. */
  recover(losses: readonly Loss[]): Promise<void>;
  /** A host is no longer at work: this host goes on with trees of it. */
  adopt(): Promise<void>;
  stop(): void;
  /** Absent: each host performs the effects that it intends. */
  readonly handsOut?: HandsOut;
}

/** A scheduler that chooses the host which performs an effect, and the host which rings a deadline. */
export interface HandsOut {
  /** Whether effects of this kind are handed out. Those of other kinds belong to the host that intends them. */
  isOffered(kind: string): boolean;
  /** The kinds that are handed out and that this host performs. */
  readonly kinds: readonly string[];
  /** An offer or a deadline that nobody has taken up for so long is taken up without the scheduler. */
  readonly graceMs: number;
  /**
   * Some host should be invited to perform the effect at this time, or at once if the time has passed. The offer is
   * stored, so it does no harm if the scheduler loses it, or invites several hosts. `place` is the newest place of the
   * tree: two offers of an effect with the same try and place are one offer.
   */
  offer(effect: Effect, at: number, place: number): void;
}

/** The scheduler asks this host to perform one try of an effect. */
export interface Invitation {
  readonly key: string;
  readonly tries: number;
}

/** The scheduler says that the deadline of a tree has come. The tree may have another one by now. */
export interface Alarm {
  readonly rootId: string;
  readonly at: number;
}

/**
 * `over`: the try has an outcome, or nobody waits for it any more, or another offer will follow.
 * `elsewhere`: another host has it, or this host stops. The scheduler should ask again later.
 */
export type InvitationAnswer = 'over' | 'elsewhere';

/** What a scheduler calls when it is time. */
export interface SchedulerCalls {
  /** `adopted`: this host goes on with the work of another process, and with the effects of the tree. */
  due(rootId: string, tenant: string, how?: 'adopted'): void;
  perform(effect: Effect): void;
  /** Resolves when the effect is over, so that the scheduler knows whether this host is still at it. */
  invited(invitation: Invitation): Promise<InvitationAnswer>;
  /** This host rings the deadline, if the tree still has it. Rejects if the store cannot be reached. */
  rung(alarm: Alarm): Promise<void>;
}
