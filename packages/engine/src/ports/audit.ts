import type { BundledScope } from '@baton/protocol';
import type { RunRow } from './run-row.ts';

/**
 * Evidence: what the hash chains of runs are held against. Signed checkpoints say how far each run had come
 * and what its link was then; an erasure says which links stand in for texts that are gone.
 */

/** How far a run had come. */
export interface ChainLeaf {
  readonly runId: string;
  /** Number of its events, and the link after the last of them. */
  readonly head: number;
  readonly link: string;
}

/** Checkpoints count from 1 without gaps, and each is bound to the one before by its digest. */
export interface SignedCheckpoint {
  readonly number: number;
  readonly at: number;
  readonly digest: string;
  readonly keyId: string;
  /** Ed25519 over the digest, as base64. */
  readonly signature: string;
}

/** A checkpoint as stored, with its leaves in their order; one that is gone leaves a hole. */
export interface StoredCheckpoint extends SignedCheckpoint {
  readonly leaves: readonly (ChainLeaf | undefined)[];
}

/** What stays of a run whose payloads were erased. */
export interface ErasureRecord {
  readonly runId: string;
  readonly at: number;
  readonly by: string;
  readonly reason: string;
  /** Sequence of the first erased event. */
  readonly from: number;
  /** The chain's link after each of the events, as it was over their original texts. */
  readonly links: readonly string[];
  /** A chain over the texts that remain, from the beginning: it binds what was left standing. */
  readonly remains: string;
  readonly keyId: string;
  /** Ed25519 over the digest of everything above, as base64. */
  readonly signature: string;
}

/** The driver's side. */
export interface AuditStore {
  newestCheckpoint(): Promise<SignedCheckpoint | undefined>;
  /** The number of the last one that was written, whether or not it is still there; 0 before the first. */
  lastCheckpointNumber(): Promise<number>;
  /** Whole or not at all. `upTo` is the place in the log that is covered with it; all of the log by default. */
  putCheckpoint(checkpoint: SignedCheckpoint, leaves: readonly ChainLeaf[], upTo?: number): Promise<void>;
  /** The rows of a tree, ended or not, parents before their children. */
  treeOf(rootId: string): Promise<readonly RunRow[]>;
  /** The roots of other trees that hold what this one held: their logs begin in it, or they replayed it. */
  forksOf(rootId: string): Promise<readonly string[]>;
  /** Replaces the run's own events by these texts, empties its own memory, removes its folded states, keeps the record. */
  eraseRun(erasure: ErasureRecord, texts: readonly string[]): Promise<void>;
  /** Empties what the runs of a tree have written to memory that they share with others, and drops the answers of models that are kept for reuse. */
  eraseShared(tenant: string, rootId: string): Promise<void>;
  /** Clears what was erased out of the places where it stood on its way into the store. */
  wipeTraces(): Promise<void>;
  /** Some of the runs that moved since the last checkpoint, and how far they cover the log; nothing when none did. */
  uncovered(): Promise<{ readonly leaves: readonly ChainLeaf[]; readonly upTo: number } | undefined>;
}

/** An event as stored, with everything that says where it belongs. */
export interface FiledEvent {
  readonly sequence: number;
  readonly pos: number;
  readonly text: string;
  /** 1 where a step begins, 0 where none does; nothing where nobody knows. */
  readonly starts: 0 | 1 | null;
}

/** All that is stored about the chain of one run, at one moment. */
export interface ChainRecord {
  readonly row: RunRow;
  /** From signed checkpoints, the earliest first. */
  readonly leaves: readonly (ChainLeaf & { readonly checkpoint: number })[];
  /** Links that were kept with folded states, the earliest first. */
  readonly marks: readonly Omit<ChainLeaf, 'runId'>[];
  readonly erasure?: ErasureRecord;
}

/** Everything that a memory scope held up to a version, the history included. */
export type ScopeHistory = BundledScope;

/** The auditor's side. `tenant` left out means all of them, for whoever holds the data folder. */
export interface AuditReads {
  chainRecord(runId: string, tenant?: string): ChainRecord | undefined;
  /** The run's own events only, not what a fork shares with its source. */
  filedEvents(runId: string, from: number, limit: number): readonly FiledEvent[];
  /** Runs in the order they were made, after a number that the page before gave. */
  runsInOrder(
    after: number,
    limit: number,
    tenant?: string,
  ): readonly { readonly number: number; readonly runId: string }[];
  /** Checkpoints in order, from a number on. */
  checkpoints(from: number, limit: number): readonly StoredCheckpoint[];
  /** How much the entries of a scope hold, up to a version, in bytes. */
  scopeBytes(tenant: string, scope: string, upTo: number): number;
  /** As `AuditStore` tells it. */
  lastCheckpointNumber(): number;
  /** Nothing when the tenant has no such scope. */
  scopeHistory(tenant: string, scope: string, upTo: number): ScopeHistory | undefined;
}
