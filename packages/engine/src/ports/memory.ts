import type { MemoryLayer } from '@baton/protocol';

/**
 * Memory and workspace files: entries in scopes, never changed, only followed by newer ones. Every change
 * makes the next version of its scope, so that what anybody saw at any time can be read again.
 */

/** What one run sees, the uppermost layer first: its own scope, then what it started on top of. */
export type MemoryView = readonly MemoryLayer[];

export interface MemoryAuthor {
  readonly runId?: string;
  readonly nodeId?: string;
  readonly agentId?: string;
}

interface ChangeBase {
  readonly tenant: string;
  readonly scope: string;
  /** The version that this change was computed from; it makes the next one. If the stored one differs, the slice is refused. */
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
  /** Copies what is newest of each entry in another scope up to a version, deletions included, as one version. */
  | (ChangeBase & {
      readonly kind: 'carry';
      readonly from: string;
      readonly upTo: number;
      /** Added to the expiry of what is carried, where the time of a branch is another than that of its source. */
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
  /** The scope and the version of it that the entry was written in. */
  readonly scope: string;
  readonly version: number;
  /** Counts the writes of this entry since it was last made or forgotten, from 1. */
  readonly revision: number;
  readonly by: MemoryAuthor;
}

export interface MemoryQuery {
  readonly tenant: string;
  readonly view: MemoryView;
  /** Expiry is judged at this time, unless a layer says otherwise. */
  readonly now: number;
  /** One entry. */
  readonly id?: string;
  /** Entries that carry this tag. */
  readonly tag?: string;
  /** Entries whose content has these words. */
  readonly text?: string;
  /** Entries whose id begins so. */
  readonly prefix?: string;
  readonly limit: number;
}

export interface ScopeHead {
  readonly version: number;
  /** Versions before this one can no longer be read as they were. */
  readonly oldest: number;
}

/** When the expiry of what is in a layer is judged. */
export function expiryTime({ at, since }: MemoryLayer, now: number): number {
  if (at === undefined) return now;
  return since === undefined ? at : at + Math.max(0, now - since);
}

/** By how much later than written what is in a layer expires, on the clock of whoever reads. */
export function expiryDelay({ at, since }: MemoryLayer): number {
  return at === undefined || since === undefined ? 0 : since - at;
}

/** Whether a layer can still be read as it was. */
export function isKept(head: ScopeHead | undefined, { version }: MemoryLayer): boolean {
  return head !== undefined && head.oldest <= version;
}

/** Newest first: upper layers before lower ones, later versions before earlier ones. Foreign scopes are empty. */
export interface MemoryReads<Answer extends 'now' | 'later'> {
  memory(query: MemoryQuery): Answer extends 'now' ? readonly MemoryRow[] : Promise<readonly MemoryRow[]>;
  scope(
    tenant: string,
    scope: string,
  ): Answer extends 'now' ? ScopeHead | undefined : Promise<ScopeHead | undefined>;
}
