import type { ForkRecord, RunRow } from './run-row.ts';

/** A folded state, kept so that nobody has to read a whole log. Valid only for the fold that made it. */
export interface SavedState {
  readonly sequence: number;
  readonly foldVersion: number;
  readonly state: string;
  /** The link of the hash chain before `sequence`. */
  readonly chain?: string;
}

/** The place where the log of a fork continues the log of its source. */
export interface ForkPoint {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly createdAt: number;
  readonly fork: ForkRecord;
}

export interface StoredRun {
  readonly row: RunRow;
  readonly savedState?: SavedState;
  /**
   * The stored events after the saved state, or all events when there is none. For a fork, they may begin in
   * its source.
   */
  readonly tail: readonly string[];
  /** The forks within the tail or at its end, the earliest first. */
  readonly forks: readonly ForkPoint[];
}
