import type { RunStatus } from '@baton/protocol';

/** How a run came out of another one. */
export interface ForkRecord {
  readonly sourceRunId: string;
  /** Events before this index are the source's own. At 0 nothing is shared. */
  readonly fromSeq: number;
  readonly mode: 'replay' | 'branch';
  /** Whether a replay asks models again, or only serves what they answered. */
  readonly models: 'recorded' | 'live';
  /** Children of the source that were under way at the cut; the fork has a fork of each, of the same number. */
  readonly live: readonly string[];
  /** Who branched off, and what they may do: a branch acts in their name, and may do no more than they. */
  readonly by?: {
    readonly principal: string;
    readonly scopes?: readonly string[];
    /** Who started or branched what it was branched from; for records without it, the source says. */
    readonly starters?: readonly string[];
  };
  /** The place in the source's tree up to which a replay follows. It ignores later events of its source. */
  readonly upTo?: number;
  /** The run whose memory a child of a replay sees; absent where that is its source. */
  readonly origin?: string;
  /** When the tree was cut, where that is not the time of the run's own last event. */
  readonly cutAt?: number;
}

/** How a run came to be here that this host did not perform itself. */
export interface ImportRecord {
  /** What the run was called where it comes from. */
  readonly from: string;
  /** The principal who took it in. */
  readonly by: string;
  readonly at: number;
  /** The audit key that proves which host wrote the bundle; nothing where nobody vouches for it. */
  readonly vouchedBy?: string;
  /** The first index that lies behind an approval, a verdict or an attestation of its tree; nothing when none does. */
  readonly grantedAt?: number;
}

/** What is known of a run from the moment it exists. */
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
  /** What the run is to its parent, unless it is a worker. */
  readonly role?: 'critic';
  readonly fork?: ForkRecord;
  readonly imported?: ImportRecord;
}

/** A run as the index knows it; the whole state is a fold over its events. */
export interface RunRow extends RunRecord {
  readonly status: RunStatus;
  readonly updatedAt: number;
  /** Number of stored events, which is the sequence of the next one. */
  readonly head: number;
  /** Whether an ended run reached its goal, where it had one; `false` is a run that gave up. */
  readonly goalMet?: boolean;
  /** The link of the hash chain that the last event made; nothing for runs from before there were chains. */
  readonly chain?: string;
  /** Everything but this row was removed, because the run's tree had ended before this time. */
  readonly purgedAt?: number;
  /** The payloads of the run's events were replaced by digests at this time. */
  readonly erasedAt?: number;
}
