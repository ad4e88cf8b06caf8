import type { ChainRecord, FiledEvent, ScopeHistory, SignedCheckpoint, StoredCheckpoint } from '../audit.ts';

/**
 * The reads of audits and bundles. `tenant` absent means all tenants: only for the operator, who has access
 * to the data folder.
 */

export interface FiledEventReads {
  /** Only the run's own events, not those that a fork shares with its source. */
  filedEvents(runId: string, from: number, limit: number): Promise<readonly FiledEvent[]>;
}

export interface ChainReads extends FiledEventReads {
  chainRecord(runId: string, tenant?: string): Promise<ChainRecord | undefined>;
  /** Runs in the order they were made, after the last `number` of the previous page. */
  runsInOrder(
    after: number,
    limit: number,
    tenant?: string,
  ): Promise<readonly { readonly number: number; readonly runId: string }[]>;
}

export interface CheckpointReads {
  /** Checkpoints in order, from a number on. */
  checkpoints(from: number, limit: number): Promise<readonly StoredCheckpoint[]>;
  /** As in `LastCheckpoint`. */
  lastCheckpointNumber(): Promise<number>;
  /** The checkpoint with the highest number, without its leaves. */
  newestCheckpoint(): Promise<SignedCheckpoint | undefined>;
}

export type AuditReads = ChainReads & CheckpointReads;

export interface ScopeHistoryReads {
  /** The size of the entries of a scope up to a version, in bytes. */
  scopeBytes(tenant: string, scope: string, upTo: number): Promise<number>;
  /** `undefined` when the tenant has no such scope. */
  scopeHistory(tenant: string, scope: string, upTo: number): Promise<ScopeHistory | undefined>;
}
