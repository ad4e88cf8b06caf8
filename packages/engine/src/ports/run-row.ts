import type { RunStatus, RunUsage } from '@baton/protocol';

/** How a run was forked from another one. */
export interface ForkRecord {
  readonly sourceRunId: string;
  /** Events before this index are those of the source. At 0 no events are shared. */
  readonly fromSeq: number;
  readonly mode: 'replay' | 'branch';
  /** Whether a replay asks models again (`live`), or uses their recorded answers. */
  readonly models: 'recorded' | 'live';
  /**
   * Children of the source that were under way at the cut. The fork has a fork of each, with the same number.
   */
  readonly live: readonly string[];
  /**
   * The principal who made the branch, and its scopes. The branch acts for this principal with at most its
   * scopes.
   */
  readonly by?: {
    readonly principal: string;
    readonly scopes?: readonly string[];
    /**
     * The principals who started or branched its sources. Older records lack them; then the sources are read.
     */
    readonly starters?: readonly string[];
  };
  /** The place in the source's tree up to which a replay follows. It ignores later events of its source. */
  readonly upTo?: number;
  /** The run whose memory a child of a replay sees. Absent when this is its source. */
  readonly origin?: string;
  /** The time of the cut. Absent when it is the time of the last event of the run. */
  readonly cutAt?: number;
}

/** The properties of a run that are known when it is created. */
export interface RunRecord {
  readonly runId: string;
  readonly rootId: string;
  readonly parentRunId?: string;
  readonly parentNodeId?: string;
  readonly tenant: string;
  readonly principal: string;
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly tags: readonly string[];
  readonly createdAt: number;
  /** `critic` for a critic of its parent. Absent for a worker and for a root. */
  readonly role?: 'critic';
  readonly fork?: ForkRecord;
}

/** The part of the state of a run that the list of runs shows, so that no log is read for a list. */
export interface ListedState {
  /** The number of the supervisor's last turn. Absent before the first one. */
  readonly turn?: number;
  /** What the run and its ended children have used. */
  readonly usage?: RunUsage;
  /** Why the run failed. The message is of bounded length. It is removed when the run is erased or purged. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** The index row of a run. The whole state is the fold over its events. */
export interface RunRow extends RunRecord {
  readonly status: RunStatus;
  readonly updatedAt: number;
  /** Number of stored events, which is the sequence of the next one. */
  readonly head: number;
  /** Whether an ended run met its goal. Absent when no goal was stated. */
  readonly goalMet?: boolean;
  /** Absent while there is nothing to show, and in runs that ended before stores kept it. */
  readonly listed?: ListedState;
  /** The link of the hash chain after the last event. Absent for runs of versions without hash chains. */
  readonly chain?: string;
  /** Set when retention removed all but this row. The tree of the run had ended before this time. */
  readonly purgedAt?: number;
  /** The payloads of the run's events were replaced by digests at this time. */
  readonly erasedAt?: number;
}
