import type { Json, RunStatus } from '@baton/protocol';
import type { AuditStore, ScopeHistory } from './audit.ts';
import type { ChangeFeed } from './changes.ts';
import type { EffectClaims, SliceEffects } from './effect-claims.ts';
import type { MemoryChange, MemoryReads } from './memory.ts';
import type { ModelAnswerRecord } from './model-answers.ts';
import type { RemoteCancel, RemoteCancelStore } from './peers/remote-cancels.ts';
import type { InterruptRecord } from './reads/interrupts.ts';
import type { ApiKey } from './reads/keys.ts';
import type { Page } from './reads/page.ts';
import type { Peer } from './reads/peers.ts';
import type { IdempotencyRecord, ReplyReads } from './reads/replies.ts';
import type { SecretPlace, SecretRecord } from './reads/secrets.ts';
import type { SpentOnDay } from './reads/spending.ts';
import type { TaskPushStore } from './reads/task-pushes.ts';
import type { DefinitionReads, WorkflowReads, WorkflowRecord } from './reads/workflows.ts';
import type { ListedState, RunRecord, RunRow } from './run-row.ts';
import type { KeptTrees } from './sharing/kept-trees.ts';
import type { SavedState, StoredRun } from './stored-run.ts';
import type { TreeRef, TroubleStore } from './trouble.ts';
import type { WebhookStore } from './webhooks.ts';

export type { InterruptRecord } from './reads/interrupts.ts';
export type { IdempotencyRecord } from './reads/replies.ts';
export { SHARED_TENANT } from './reads/workflows.ts';
export type { ForkRecord, RunRecord, RunRow } from './run-row.ts';
export type { ForkPoint, SavedState, StoredRun } from './stored-run.ts';

/**
 * The store of all events. It appends slices atomically and returns them unchanged. It knows nothing about
 * the meaning of workflows. Every implementation passes the same contract tests.
 */

/** The part of a slice that belongs to one run. */
export interface RunAdvance {
  readonly runId: string;
  /** The head that this slice was computed from. If the stored head differs, the slice is refused. */
  readonly expectedHead: number;
  /** Present in the slice that creates the run. Then `expectedHead` is 0, or the cut of a fork. */
  readonly created?: RunRecord;
  /** Whole events as JSON text, in order; the first has sequence `expectedHead`. */
  readonly events: readonly string[];
  readonly status: RunStatus;
  /** The link of the hash chain after these events. */
  readonly chain?: string;
  /** Present in the slice that ends a run with a goal. */
  readonly goalMet?: boolean;
  /** Present when it differs from the stored one, which it replaces. */
  readonly listed?: ListedState;
  /** Time of the slice. */
  readonly at: number;
  readonly savedState?: SavedState;
  readonly interruptsOpened: readonly InterruptRecord[];
  /**
   * Interrupt ids, or `all` when the run ends without being folded, so that its open interrupts are not
   * known.
   */
  readonly interruptsClosed: readonly string[] | 'all';
}

/** When a tree must be computed without a command. */
export interface Wake {
  /** A deadline in epoch milliseconds, or null. */
  readonly at: number | null;
  /** True while the tree has an unfinished slice or an effect under way. */
  readonly unfinished: boolean;
}

/**
 * The outcome of an effect that came after its run had ended. It is kept for the operator and is not part of
 * the log.
 */
export interface LateOutcome {
  readonly key: string;
  readonly runId: string;
  readonly outcome: Json;
  readonly at: number;
}

/** All changes that one job makes to one tree. They are stored together or not at all. */
export interface Slice {
  readonly rootId: string;
  /**
   * The place of the tree's newest event when the slice was computed: 0 for a new tree, the place of its cut
   * for a new fork. If the tree has moved since, the slice is refused, even if it touches other runs of the
   * tree. Absent only in slices that neither advance runs nor set a wake-up time.
   */
  readonly from?: number;
  /**
   * The host that computed the slice goes on with a tree by itself, without a command. Such a slice is refused when
   * another host keeps the tree; see `KeptTrees`.
   */
  readonly continues?: boolean;
  readonly runs: readonly RunAdvance[];
  /**
   * For each event of the slice, in the order they happened, the index in `runs` of its run. Absent: run by
   * run.
   */
  readonly order?: readonly number[];
  /** The indexes in `order` at which a step begins. A fork is never cut within a step. Absent: not known. */
  readonly steps?: readonly number[];
  readonly memory?: readonly MemoryChange[];
  /**
   * Absent when the slice does not change the tree, for example when it only stores a reply or a late
   * outcome.
   */
  readonly wake?: Wake;
  /** Only together with `from`. */
  readonly effects?: SliceEffects;
  readonly idempotency?: IdempotencyRecord;
  readonly lateOutcome?: LateOutcome;
  /** An answer of a model for other runs of the tenant. An answer with the same key is not replaced. */
  readonly modelAnswer?: ModelAnswerRecord;
  /** Added to the tenant's spending. Several hosts may add to one day at the same time, and nothing is lost. */
  readonly spent?: SpentOnDay;
  /** The peers that have to be told that their work is no longer wanted. One replaces an earlier one of its run. */
  readonly cancels?: readonly RemoteCancel[];
}

/**
 * `conflict`: the slice was computed from data that has changed since; computed again it may be stored.
 * `taken`: the slice goes on with a tree that another host keeps. The tree has not moved.
 * `refused`: the store can never keep its content (for example a number too large for its column), and the
 * reason.
 */
export type SliceResult = 'committed' | 'conflict' | 'taken' | { readonly refused: string };

/** What an empty store has to hold, so that a host can show the runs of a bundle. */
export interface BundleContents {
  readonly tenant: string;
  /** To be stored in this order. */
  readonly slices: readonly Slice[];
  /** Older versions come first. */
  readonly workflows: readonly Omit<WorkflowRecord, 'version'>[];
  readonly scopes: readonly ScopeHistory[];
}

/** The runs of a tree that have not ended, parents before their children, read at one moment. */
export interface StoredTree {
  /** The place of the tree's newest event. 0 when there is no such tree. */
  readonly newestPlace: number;
  readonly runs: readonly StoredRun[];
}

/**
 * An event with its place in its tree. Places grow in the order in which the events of a tree happened. The
 * places of a fork go on from its cut, so that they can be compared with those of its source before the cut.
 */
export interface PlacedEvent {
  readonly place: number;
  readonly text: string;
  /** Whether a step begins with this event. Also true when it is not known. */
  readonly starts: boolean;
  /** The place of the last event of its step, which may belong to another run. Its own place when it is not known. */
  readonly stepEnd: number;
}

/** The stored form of a secret, and the form that takes its place. */
export interface RewrappedSecret extends SecretPlace {
  readonly from: string;
  readonly to: string;
}

/** The part that the driver uses. There is one writer. It is asynchronous, because a store may be remote. */
export interface Store
  extends MemoryReads,
    Pick<WorkflowReads, 'workflow'>,
    DefinitionReads,
    AuditStore,
    TroubleStore,
    EffectClaims,
    TaskPushStore,
    RemoteCancelStore,
    ReplyReads,
    WebhookStore,
    KeptTrees,
    ChangeFeed {
  /**
   * The slices are durable when this resolves. A slice that conflicts or is refused is left out, and so are
   * the slices that build on it; the others are stored. It rejects only when the disk or the database fails,
   * and then stores nothing.
   */
  commit(slices: readonly Slice[]): Promise<readonly SliceResult[]>;
  loadTree(rootId: string): Promise<StoredTree>;
  run(runId: string): Promise<RunRow | undefined>;
  /** One run with its events, even if it has ended. */
  storedRun(runId: string): Promise<StoredRun | undefined>;
  storedRunAt(runId: string, sequence: number): Promise<StoredRun | undefined>;
  /**
   * Events with sequence >= `from`, at most `limit`, with their places. For a fork, they may begin in its
   * source.
   */
  placedEvents(runId: string, from: number, limit: number): Promise<readonly PlacedEvent[]>;
  /**
   * The last index at or before `sequence` that is not within a step, and its place in the tree. Events up to
   * this place come before the cut. `undefined` when the log is not that long.
   */
  stepBoundary(
    runId: string,
    sequence: number,
  ): Promise<{ readonly sequence: number; readonly place: number } | undefined>;
  /** The place of the newest event of a tree. 0 when there is no such tree. */
  newestPlace(rootId: string): Promise<number>;
  /** How many events the run had directly after the event at this place of its tree. */
  headAt(runId: string, place: number): Promise<number>;
  /** Trees with an unfinished slice or effect, to resume after a start. None that another host keeps. */
  unfinished(): Promise<readonly TreeRef[]>;
  /** A page of the trees whose deadline is at or before `now`, the earliest first. None that another host keeps. */
  due(now: number, limit: number, cursor?: string): Promise<Page<TreeRef>>;
  /** The earliest deadline of the trees that no other host keeps. */
  nextWake(): Promise<number | undefined>;
  /** Forgets remembered replies older than `before`. */
  pruneReplies(before: number): Promise<void>;
  /**
   * Removes the events, saved states and private memory of trees that ended before the given time, at most
   * `limit` trees, and returns how many. 0 means that none is left. The rows of their runs stay. A tree is
   * kept as long as a kept fork begins in it, or a run that has not ended was forked from it. Each tree is
   * removed in one transaction, so that a pass may stop at any time and be continued later.
   */
  purgeTrees(before: number, limit: number): Promise<number>;
  /**
   * Removes entries of shared memory that were superseded, forgotten or expired before the given time, at
   * most `limit`, and returns how many. 0 means that none is left. Entries that still existed when the oldest
   * kept run of the tenant began are not removed, because a kept run may have seen them.
   */
  pruneMemory(before: number, limit: number): Promise<number>;
  /**
   * How many bytes the tenant stores: events, saved states, entries of memory and files with their history,
   * definitions, late outcomes and kept answers of models. The count is updated in the same transactions as
   * the data.
   */
  bytesOf(tenant: string): Promise<number>;
  /** Whether this definition is a version of a workflow that the tenant may run, its own or a shared one. */
  isRegistered(tenant: string, workflowId: string, digest: string): Promise<boolean>;
  /** Adds a version, unless the newest one has the same digest. Returns the newest version in both cases. */
  putWorkflow(
    workflow: Omit<WorkflowRecord, 'version'>,
    reply?: (version: number) => IdempotencyRecord,
  ): Promise<{ readonly version: number; readonly created: boolean }>;
  putKey(key: ApiKey): Promise<void>;
  revokeKey(id: string, at: number): Promise<boolean>;
  /** Stores a peer in place of an earlier one with its name. Rejects if another peer has its host id. */
  putPeer(peer: Peer): Promise<void>;
  /** False if there is no peer of this name. */
  removePeer(name: string): Promise<boolean>;
  /**
   * Stores a secret in place of an earlier one with its name. False, and nothing is stored, if the tenant has
   * `most` secrets with other names.
   */
  putSecret(secret: SecretRecord, most: number): Promise<boolean>;
  /** False if the tenant has no such secret. */
  deleteSecret(tenant: string, name: string): Promise<boolean>;
  /**
   * Replaces encrypted values by encryptions of the same values with another key, all of them or none when it
   * rejects. A secret whose stored form is no longer `from` is left alone. Returns how many were replaced.
   */
  rewrapSecrets(secrets: readonly RewrappedSecret[]): Promise<number>;
  /**
   * Writes a value durably and removes it again. Rejects like a commit, with `StorageFullError` when the
   * store is full.
   */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The store cannot be reached, or has not answered in time. It may succeed later. If a commit rejects with this error,
 * nothing of the group was stored, and nothing of it will be.
 */
export class StoreUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('the store cannot be reached', { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** Whether an operation that failed in this way may succeed later. */
export function mayPass(problem: unknown): boolean {
  return problem instanceof StorageFullError || problem instanceof StoreUnavailableError;
}

/** The store is full. No slice of the group was stored and no stored data was lost; it may succeed later. */
export class StorageFullError extends Error {
  constructor(cause?: unknown) {
    super('the store has no room left', { cause });
    this.name = 'StorageFullError';
  }
}
