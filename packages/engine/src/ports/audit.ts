import type { BundledScope } from '@baton/protocol';
import type { RunRow } from './run-row.ts';

/**
 * The evidence for hash chains. Signed checkpoints say how far each run had come and which link it had then.
 * An erasure record holds the links of events whose texts were erased.
 */

/** How far a run had come. */
export interface ChainLeaf {
  readonly runId: string;
  /** The number of its events. `link` is the link after the last of them. */
  readonly head: number;
  readonly link: string;
}

/** Checkpoints are numbered from 1 without gaps. The digest of each binds the one before it. */
export interface SignedCheckpoint {
  readonly number: number;
  readonly at: number;
  readonly digest: string;
  readonly keyId: string;
  /** Ed25519, as base64. */
  readonly signature: string;
  /**
   * The place of the checkpoint in the audit log that the protocol defines. A log begins at 1, and a new key
   * begins a new log.
   */
  readonly sequence: number;
}

/** A checkpoint as stored, with its leaves in order. A leaf that was removed is `undefined`. */
export interface StoredCheckpoint extends SignedCheckpoint {
  readonly leaves: readonly (ChainLeaf | undefined)[];
}

/** What remains of a run whose payloads were erased. */
export interface ErasureRecord {
  readonly runId: string;
  readonly at: number;
  readonly by: string;
  readonly reason: string;
  /** Sequence of the first erased event. */
  readonly from: number;
  /** The link of the hash chain after each event, computed from the original texts. */
  readonly links: readonly string[];
  /**
   * A hash chain over the remaining texts, from the beginning. It shows whether they were changed after the
   * erasure.
   */
  readonly remains: string;
  readonly keyId: string;
  /** Ed25519 over the digest of everything above, as base64. */
  readonly signature: string;
}

/** The part that the driver uses. */
export interface AuditStore {
  /**
   * Takes committed events that no checkpoint covers, and stores the checkpoint that `make` returns together
   * with its leaves. `make` gets no leaves when all events are covered; then it may return undefined. Returns
   * whether more events are waiting to be signed. Nothing else signs while this is under way.
   */
  sign(make: MakeCheckpoint): Promise<boolean>;
  /** The rows of a tree, with ended runs, parents before their children. */
  treeOf(rootId: string): Promise<readonly RunRow[]>;
  /** The roots of other trees with data of this tree: forks whose logs begin in it, and replays of it. */
  forksOf(rootId: string): Promise<readonly string[]>;
  /** Whether a run of this tree was erased, also if the erasure of the whole tree was interrupted. */
  hasErasedRun(rootId: string): Promise<boolean>;
  /**
   * Replaces the run's own events by these texts, empties its private memory, removes its saved states, and
   * stores the record. A run that is erased already is left as it is, because another host may have erased it.
   * False, and nothing is erased, if another host has made a fork of the tree meanwhile.
   */
  eraseRun(erasure: ErasureRecord, texts: readonly string[]): Promise<boolean>;
  /** Empties the entries that runs of a tree wrote to shared memory, and removes kept model answers. */
  eraseShared(tenant: string, rootId: string): Promise<void>;
  /** Removes erased data from the files through which it was written, such as a write-ahead log. */
  wipeTraces(): Promise<void>;
}

/** Makes the next checkpoint. The leaves are in no particular order. */
export type MakeCheckpoint = (
  before: LastCheckpoint,
  leaves: readonly ChainLeaf[],
) => { readonly checkpoint: SignedCheckpoint; readonly leaves: readonly ChainLeaf[] } | undefined;

/** The end of the chain of checkpoints. */
export interface LastCheckpoint {
  /** The number of the last checkpoint that was written, even if it was removed since; 0 before the first. */
  readonly number: number;
  /** The newest checkpoint that is stored. */
  readonly newest?: SignedCheckpoint;
}

/** An event as stored, with its place in its tree. */
export interface FiledEvent {
  readonly sequence: number;
  readonly place: number;
  readonly text: string;
  /** 1 when a step begins with the event, 0 when not, null when it is not known. */
  readonly starts: 0 | 1 | null;
}

/** All stored data about the hash chain of one run, read at one moment. */
export interface ChainRecord {
  readonly row: RunRow;
  /** From signed checkpoints, the earliest first. */
  readonly leaves: readonly (ChainLeaf & { readonly checkpoint: number })[];
  /** Links from saved states, the earliest first. */
  readonly marks: readonly Omit<ChainLeaf, 'runId'>[];
  readonly erasure?: ErasureRecord;
}

/** All entries of a memory scope up to a version, with their history. */
export type ScopeHistory = BundledScope;
