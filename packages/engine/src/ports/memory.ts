import type { MemoryLayer } from '@baton/protocol';

/**
 * Memory and workspace files. A scope holds entries; an entry is never changed, only followed by a newer one.
 * Every change makes the next version of its scope, so that every earlier view can be read again.
 */

/** The layers that one run sees, the uppermost first: its own scope, then the layers that it started with. */
export type MemoryView = readonly MemoryLayer[];

export interface MemoryAuthor {
  readonly runId?: string;
  readonly nodeId?: string;
  readonly agentId?: string;
}

interface ChangeBase {
  readonly tenant: string;
  readonly scope: string;
  /**
   * The version that this change was computed from. The change makes the next version. If the stored version
   * differs, the slice is refused.
   */
  readonly expectedVersion: number;
  readonly at: number;
  readonly by: MemoryAuthor;
}

export type MemoryChange =
  | (ChangeBase & {
      readonly kind: 'write';
      readonly id: string;
      readonly content: string;
      readonly tags: readonly string[];
      readonly expiresAt?: number;
      readonly contentType?: string;
    })
  | (ChangeBase & { readonly kind: 'forget'; readonly id: string })
  /** Copies the newest value of each entry of a scope up to a version, with deletions, as one version. */
  | (ChangeBase & {
      readonly kind: 'carry';
      readonly from: string;
      readonly upTo: number;
      /** Added to the expiry of the copied entries, when a branch has another time than its source. */
      readonly expiryDelay?: number;
    });

/** An entry as it is read. */
export interface MemoryRow {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly contentType?: string;
  /** The scope in which the entry was written, and the version of the scope that the write made. */
  readonly scope: string;
  readonly version: number;
  /** Counts the writes of this entry since it was created or last forgotten, from 1. */
  readonly revision: number;
  readonly by: MemoryAuthor;
}

export interface MemoryQuery {
  readonly tenant: string;
  readonly view: MemoryView;
  /** Expiry is judged at this time, unless a layer says otherwise. */
  readonly now: number;
  /** Only the entry with this id. */
  readonly id?: string;
  /** Only entries with this tag. */
  readonly tag?: string;
  /** Only entries whose content has these words. */
  readonly text?: string;
  /** Only entries whose id begins with this text. */
  readonly prefix?: string;
  readonly limit: number;
}

export interface ScopeHead {
  readonly version: number;
  /** Earlier versions can no longer be read as they were. */
  readonly oldest: number;
}

export interface NamedScope extends ScopeHead {
  readonly name: string;
}

/** The memory scope that only one run writes to. It is removed together with the log of the run. */
export function privateScope(runId: string): string {
  return `run:${runId}`;
}

/** Whether several runs may write to a memory scope. */
export function isShared(scope: string): boolean {
  return !scope.startsWith(privateScope(''));
}

/** The time at which the expiry of entries of a layer is judged. */
export function expiryTime({ at, since }: MemoryLayer, now: number): number {
  if (at === undefined) return now;
  return since === undefined ? at : at + Math.max(0, now - since);
}

/** How much later the entries of a layer expire than was written, by the clock of the reader. */
export function expiryDelay({ at, since }: MemoryLayer): number {
  return at === undefined || since === undefined ? 0 : since - at;
}

/** Whether a layer can still be read as it was. */
export function isKept(head: ScopeHead | undefined, { version }: MemoryLayer): boolean {
  return head !== undefined && head.oldest <= version;
}

/**
 * Results come newest first: upper layers before lower ones, later versions before earlier ones. A scope of
 * another tenant is empty.
 */
export interface MemoryReads {
  memory(query: MemoryQuery): Promise<readonly MemoryRow[]>;
  scope(tenant: string, scope: string): Promise<ScopeHead | undefined>;
  /**
   * The memory scopes whose names begin with `prefix`, by name, at most `limit` of those that come after the name
   * `after`.
   */
  scopes(tenant: string, prefix: string, limit: number, after?: string): Promise<readonly NamedScope[]>;
}

export interface MemoryHistoryReads {
  /** As `memory`. `undefined` when a layer of the view can no longer be read as it was. */
  keptMemory(query: MemoryQuery): Promise<readonly MemoryRow[] | undefined>;
}
