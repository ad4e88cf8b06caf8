import type { InterruptKind, Json, RunStatus } from '@baton/protocol';
import type { AuditReads, AuditStore, ScopeHistory } from './audit.ts';
import type { MemoryChange, MemoryReads } from './memory.ts';
import type { ModelAnswerReads, ModelAnswerRecord } from './model-answers.ts';
import type { ForkRecord, RunRecord, RunRow } from './run-row.ts';
import type { TreeRef, TroubleReads, TroubleStore } from './trouble.ts';

export type { ForkRecord, ImportRecord, RunRecord, RunRow } from './run-row.ts';

/**
 * Where facts are kept. A store appends slices atomically and hands back what it was given; it knows
 * nothing of workflows. Every adapter passes the same contract suite.
 */

/** A folded state, kept so that nobody has to read a whole log. Valid only for the fold that made it. */
export interface Checkpoint {
  readonly sequence: number;
  readonly foldVersion: number;
  readonly state: string;
  /** The chain's link before `sequence`. */
  readonly chain?: string;
}

export interface InterruptRecord {
  readonly runId: string;
  readonly interruptId: string;
  readonly nodeId: string;
  readonly kind: InterruptKind;
  readonly title: string;
  readonly requestedAt: number;
  readonly expiresAt?: number;
}

export interface InterruptRow extends InterruptRecord {
  readonly workflowId: string;
  readonly rootId: string;
}

/** What one slice adds to one run. */
export interface RunAdvance {
  readonly runId: string;
  /** The head that this slice was computed from. If the stored head differs, the slice is refused. */
  readonly expectedHead: number;
  /** Present in the slice that creates the run; then `expectedHead` is 0, or where a fork goes on. */
  readonly created?: RunRecord;
  /** Whole events as JSON text, in order; the first has sequence `expectedHead`. */
  readonly events: readonly string[];
  readonly status: RunStatus;
  /** The hash chain's link after these events. */
  readonly chain?: string;
  /** Given in the slice that ends a run which had a goal. */
  readonly goalMet?: boolean;
  /** Time of the slice. */
  readonly at: number;
  readonly checkpoint?: Checkpoint;
  readonly interruptsOpened: readonly InterruptRecord[];
  /** Interrupt ids, or `all` when the run is set aside and nobody knows which were open. */
  readonly interruptsClosed: readonly string[] | 'all';
}

/** When a tree wants attention without being asked. */
export interface Wake {
  /** A deadline in epoch milliseconds, or nothing. */
  readonly at: number | null;
  /** True while the tree has work of its own: an unfinished slice or an effect under way. */
  readonly unfinished: boolean;
}

/** A remembered reply. It belongs to one principal: the same key of another principal is another request. */
export interface IdempotencyRecord {
  readonly tenant: string;
  readonly principal: string;
  readonly key: string;
  /** Digest of the request, so that the same key with another request can be refused. */
  readonly request: string;
  readonly reply: string;
  readonly at: number;
}

/** An effect's outcome that came after its run had ended: kept for the operator, never part of the log. */
export interface LateOutcome {
  readonly key: string;
  readonly runId: string;
  readonly outcome: Json;
  readonly at: number;
}

/** Everything one turn of one tree wants stored, all or nothing. */
export interface Slice {
  readonly rootId: string;
  readonly runs: readonly RunAdvance[];
  /** For each event of the slice, in the order they happened, which of `runs` it belongs to. Absent: run by run. */
  readonly order?: readonly number[];
  /**
   * The places in that order at which a step begins. What a step records belongs together: a fork is never cut
   * in the middle of one. Absent: not known.
   */
  readonly steps?: readonly number[];
  readonly memory?: readonly MemoryChange[];
  readonly arrival?: Arrival;
  /** Left out when the slice does not touch the tree (a reply to remember, a late outcome). */
  readonly wake?: Wake;
  readonly idempotency?: IdempotencyRecord;
  readonly lateOutcome?: LateOutcome;
  /** An answer of a model for other runs of its tenant. The first one under a key stands. */
  readonly modelAnswer?: ModelAnswerRecord;
}

/**
 * What comes with runs from elsewhere, beside their logs. A tree arrives in as many slices as it takes, under a tenant
 * that nobody is; the last slice makes all of it the tenant's at once.
 */
export interface Arrival {
  /** The tenant that nobody is. */
  readonly waiting: string;
  readonly definitions?: readonly { readonly digest: string; readonly definition: string }[];
  /** A scope may come in several pieces; it belongs to the tree, and goes with it. */
  readonly scopes?: readonly ScopeHistory[];
  /** Whose the runs and scopes are from here on. */
  readonly becomes?: string;
}

/**
 * `conflict`: the slice was computed from what is no longer stored; computed again it may fit. `refused`: it holds
 * what the store can never keep (a number that no column takes, an order that does not fit its events), and why.
 */
export type SliceResult = 'committed' | 'conflict' | { readonly refused: string };

/** Where one run's log goes over into its fork's. */
export interface ForkPoint {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly createdAt: number;
  readonly fork: ForkRecord;
}

export interface StoredRun {
  readonly row: RunRow;
  readonly checkpoint?: Checkpoint;
  /** Events from the checkpoint on (all of them when there is none), as stored; a fork's begin in its source. */
  readonly tail: readonly string[];
  /** The forks that lie in the tail or at its end, the earliest first. */
  readonly forks: readonly ForkPoint[];
}

/** An event with its place in the order of its tree, and of everything else in this store. */
export interface PlacedEvent {
  readonly pos: number;
  readonly text: string;
  /** Whether a step begins with it; also true where nobody knows. */
  readonly starts: boolean;
}

export interface WorkflowRecord {
  /** `*` for workflows that every tenant may run. */
  readonly tenant: string;
  readonly id: string;
  /** Counts registrations of this id, from 1. */
  readonly version: number;
  readonly digest: string;
  readonly definition: string;
  readonly createdAt: number;
}

export const SHARED_TENANT = '*';

export interface ApiKey {
  readonly id: string;
  readonly hash: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly string[];
  /** The roles whose scopes the key was made with. */
  readonly roles?: readonly string[];
  readonly createdAt: number;
  readonly revokedAt?: number;
}

export interface RunQuery {
  readonly tenant: string;
  readonly status?: RunStatus;
  readonly workflowId?: string;
  readonly tag?: string;
  readonly parentRunId?: string;
  readonly limit: number;
  /** As returned by the page before. */
  readonly cursor?: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string;
}

/**
 * Reads that serve people. Tenant is part of every query that a caller's word reaches. Of a run that was purged
 * there is the row, and no state and no events.
 */
export interface StoreReads extends MemoryReads<'now'>, ModelAnswerReads, AuditReads, TroubleReads {
  run(tenant: string, runId: string): RunRow | undefined;
  runs(query: RunQuery): Page<RunRow>;
  stored(tenant: string, runId: string): StoredRun | undefined;
  /** The run as it was before event `sequence`: a checkpoint at or before it, and the events up to it. */
  storedAt(tenant: string, runId: string, sequence: number): StoredRun | undefined;
  /** Events with sequence >= `from`, at most `limit`, as stored. */
  events(tenant: string, runId: string, from: number, limit: number): readonly string[];
  interrupts(tenant: string, limit: number, cursor?: string): Page<InterruptRow>;
  /** The newest version that the tenant may run: its own, else the shared one. */
  workflow(tenant: string, id: string): WorkflowRecord | undefined;
  workflows(tenant: string): readonly WorkflowRecord[];
  /** The definition that a run was started with, by the digest in its log. Never for a digest that a caller names. */
  definition(digest: string): string | undefined;
  /** Whose run it is. For whoever holds the data folder, never for a caller. */
  tenantOf(runId: string): string | undefined;
  keyByHash(hash: string): ApiKey | undefined;
  keys(): readonly ApiKey[];
  close(): void;
}

/** The driver's side: one writer. Asynchronous, because not every store is a file on this machine. */
export interface Store extends MemoryReads<'later'>, AuditStore, TroubleStore {
  /**
   * Durable when it resolves. A slice that conflicts or is refused for its content falls alone, and so do those that
   * build on it; the others are stored. It rejects only when the disk or the database fails, and stores nothing then.
   */
  commit(slices: readonly Slice[]): Promise<readonly SliceResult[]>;
  /** All runs of the tree that have not ended. */
  loadTree(rootId: string): Promise<readonly StoredRun[]>;
  run(runId: string): Promise<RunRow | undefined>;
  /** One run with its events, ended or not. */
  storedRun(runId: string): Promise<StoredRun | undefined>;
  storedRunAt(runId: string, sequence: number): Promise<StoredRun | undefined>;
  /** Events with sequence >= `from`, at most `limit`, with their places; a fork's begin in its source. */
  placedEvents(runId: string, from: number, limit: number): Promise<readonly PlacedEvent[]>;
  /**
   * The last index at or before `sequence` at which no step is half done, and the place in the order of all events
   * up to which everything then belongs to the past. Nothing when the log does not reach that far.
   */
  stepBoundary(
    runId: string,
    sequence: number,
  ): Promise<{ readonly sequence: number; readonly pos: number } | undefined>;
  /** The place of the newest event of all. */
  newestPlace(): Promise<number>;
  /** How many events the run had when the event at `pos` happened, that one included. */
  headAt(runId: string, pos: number): Promise<number>;
  /** Trees with an unfinished slice or effect, to resume after a start. */
  unfinished(): Promise<readonly TreeRef[]>;
  /** A page of the trees whose deadline is at or before `now`, the earliest first. */
  due(now: number, limit: number, cursor?: string): Promise<Page<TreeRef>>;
  nextWake(): Promise<number | undefined>;
  replyFor(tenant: string, principal: string, key: string): Promise<IdempotencyRecord | undefined>;
  /** Forgets remembered replies older than `before`. */
  pruneReplies(before: number): Promise<void>;
  /**
   * Removes the events, checkpoints and private memory of trees that ended before the given time, at most `limit`
   * of them, and answers how many; 0 means that there are none left. The rows of their runs stay. A tree is kept
   * for as long as a fork that is kept begins in it, or a run that has not ended was forked from it.
   * Each tree is removed at once, so that a pass may stop anywhere and go on later.
   */
  purgeTrees(before: number, limit: number): Promise<number>;
  /**
   * Removes what was superseded, forgotten or expired before the given time from the memory that several runs
   * share, at most `limit` entries, and answers how many; 0 means that there are none left. What a run that is
   * kept may have seen stays: nothing is removed that was still there when the tenant's oldest kept run began.
   */
  pruneMemory(before: number, limit: number): Promise<number>;
  /**
   * How many bytes the tenant stores, counted in the transactions that store and remove them: events, checkpoints,
   * entries of memory and files with their history, definitions, late outcomes and kept answers of models. A tree that
   * arrives counts for the tenant that nobody is, until it is handed over.
   */
  bytesOf(tenant: string): Promise<number>;
  /** The trees whose import was interrupted, by the tenant that nobody is. */
  arriving(): Promise<readonly string[]>;
  /**
   * Removes at most `limit` events, entries and runs of an import that will not be finished, and answers how many;
   * 0 means that there is nothing left. The rows of runs stay, as purged: checkpoints may speak for them.
   */
  dropArriving(waiting: string, limit: number): Promise<number>;
  /** Whether some version of a workflow that the tenant has, or shares with all, is this definition. */
  isRegistered(tenant: string, workflowId: string, digest: string): Promise<boolean>;
  /** Adds a version, unless the newest one has the same digest; answers with the newest version then. */
  putWorkflow(
    workflow: Omit<WorkflowRecord, 'version'>,
    reply?: (version: number) => IdempotencyRecord,
  ): Promise<{ readonly version: number; readonly created: boolean }>;
  workflow(tenant: string, id: string): Promise<WorkflowRecord | undefined>;
  definition(digest: string): Promise<string | undefined>;
  putKey(key: ApiKey): Promise<void>;
  revokeKey(id: string, at: number): Promise<boolean>;
  close(): Promise<void>;
}

/** The store has no room. Nothing of the group was stored, nothing stored before was lost; try again later. */
export class StorageFullError extends Error {
  constructor(cause?: unknown) {
    super('the store has no room left', { cause });
    this.name = 'StorageFullError';
  }
}
