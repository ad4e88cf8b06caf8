import type { RunStatus } from '@baton/protocol';

/** How far a run has come. */
export interface MovedRun {
  readonly runId: string;
  readonly lastSequence: number;
  readonly status: RunStatus;
}

/** A change of stored data that a cache outside the store may hold in an older form. */
export type StoreChange =
  /** Another host has stored events of these runs. A host knows by itself what it has stored. */
  | { readonly kind: 'moved'; readonly runs: readonly MovedRun[] }
  /** A version of a workflow was registered. The tenant is `*` for shared workflows. */
  | { readonly kind: 'workflow'; readonly tenant: string; readonly id: string }
  /** A memory scope has another version. */
  | { readonly kind: 'scope'; readonly tenant: string; readonly scope: string }
  /** An API key was stored or revoked. */
  | { readonly kind: 'key'; readonly id: string }
  /** A peer was stored or removed. */
  | { readonly kind: 'peer'; readonly name: string }
  /** A secret of a tenant was set or deleted. */
  | { readonly kind: 'secret'; readonly tenant: string; readonly name: string }
  /** A webhook was stored, changed or deleted, or its dead letters are to be delivered again. */
  | { readonly kind: 'webhook'; readonly tenant: string; readonly id: string }
  /** A peer has to be told that work is no longer wanted. */
  | { readonly kind: 'remote-cancel'; readonly runId: string }
  /** A browser session ended before its time. */
  | { readonly kind: 'session'; readonly id: string; readonly until: number }
  /** The events of a run were erased, or removed because their retention has ended. */
  | { readonly kind: 'log'; readonly runId: string }
  /** Changes may have been missed, for example while a connection was lost. Every cache has to be dropped. */
  | { readonly kind: 'missed' };

/** Through this feed all caches of stored data are dropped, whichever engine on the same data made the change. */
export interface ChangeFeed {
  /** Calls the listener after each durable change. Returns a function that ends the calls. */
  changes(listener: (change: StoreChange) => void): () => void;
}
