import type { HostLimits, Notice, Retention, SecretChange } from '@baton/engine';
import type { Loss, ProgressOf, StoreChange } from '@baton/engine/ports';
import type { RunStatus } from '@baton/protocol';
import type { RestateSettings } from '@baton/scheduler-restate';
import type { VaultContents } from '../secrets/host-vault.ts';
import type { StorageLocation } from '../storage/open-storage.ts';
import type { FlatEvents } from './fresh-events.ts';

/**
 * The messages between the two threads. Commands, replies and effects are sent as JSON text, and notices as
 * primitives in one flat array: cloning many small objects costs several times as much.
 */

export interface EngineThreadSettings {
  readonly storage: StorageLocation;
  readonly alwaysRefold: boolean;
  /** The limits that differ from the defaults. */
  readonly limits: Partial<HostLimits>;
  readonly auditKeyFile?: string | undefined;
  readonly retention?: Retention;
  /** The address of a module that extends the product. */
  readonly extension?: string | undefined;
  /** Where the engine notes the tree that it works on; see `in-hand.ts`. */
  readonly inHand: SharedArrayBuffer;
  /** Spans are exported. */
  readonly traced?: boolean;
  /** Restate chooses the hosts that perform effects. */
  readonly restate?: (RestateSettings & { readonly graceMs: number }) | undefined;
}

/** Whether the store can be written. */
export type StorageState = 'writable' | 'full' | 'failing';

/** `[id, text, id, text, …]` */
export type Numbered = readonly (number | string)[];

/** The hosts that share a store, as this host sees them. */
export interface ClusterState {
  /** The number of this host. */
  readonly hostNo: number;
  /** The numbers of the hosts that are at work, as owners of effects. */
  readonly alive: readonly string[];
  /** The clock of the database minus the clock of this machine, in milliseconds. */
  readonly clockOffsetMs: number;
}

export type ToEngine =
  /** `loss`: the tree that the previous thread was working on when it ended unexpectedly. */
  | {
      readonly kind: 'open';
      readonly vault: VaultContents;
      readonly loss?: Loss;
      readonly cluster?: ClusterState | undefined;
    }
  /** What the last tick has found. `adopts`: the engine looks for trees of hosts that are gone. */
  | { readonly kind: 'hosts'; readonly cluster: ClusterState; readonly adopts: boolean }
  /** A tenant has set or deleted a secret. */
  | { readonly kind: 'secret'; readonly change: SecretChange }
  /** The host listens; the engine continues the runs that have not ended. */
  | { readonly kind: 'recover' }
  | { readonly kind: 'commands'; readonly commands: Numbered }
  | { readonly kind: 'outcome'; readonly effect: number; readonly outcome: string }
  /** A part of the text that an effect brings. */
  | {
      readonly kind: 'chunk';
      readonly effect: number;
      readonly chunk: string;
      readonly isLast: boolean;
      readonly of?: ProgressOf | undefined;
    }
  /** A reader follows the log of this run, or none does any more. The thread sends its new events. */
  | { readonly kind: 'followed'; readonly runId: string; readonly isFollowed: boolean }
  /** Asks whether the thread answers and the store can be written. */
  | { readonly kind: 'check' }
  /** Before a stop: no further effect begins, and those under way are finished. */
  | { readonly kind: 'drain' }
  | { readonly kind: 'stop' };

export type FromEngine =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'progress';
      readonly replies: Numbered;
      readonly notices: FlatNotices;
      readonly fresh: FlatEvents;
      /** Effects to perform: `[number, text, …]` */
      readonly effects: Numbered;
      /** The numbers of effects whose outcome is no longer awaited. */
      readonly aborted: readonly number[];
      /** The number of events committed since the last message. */
      readonly events: number;
      /** The changes of stored data that caches of the main thread may have to follow. */
      readonly changes: readonly StoreChange[];
    }
  /** Spans that have ended, as JSON. */
  | { readonly kind: 'spans'; readonly spans: string }
  | { readonly kind: 'checked'; readonly storage: StorageState }
  | { readonly kind: 'log'; readonly level: string; readonly message: string; readonly fields: string }
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'drained' }
  | { readonly kind: 'stopped' };

/** Notices as primitives in one flat array: `[runId, lastSequence, status, …]`. */
type FlatNotices = readonly (number | string)[];

/** Adds notices to the end of a flat array. */
export function flatten(flat: (number | string)[], notices: readonly Notice[]): void {
  for (const { runId, lastSequence, status } of notices) flat.push(runId, lastSequence, status);
}

export function noticesIn(flat: FlatNotices): readonly Notice[] {
  const notices: Notice[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) {
    notices.push({
      runId: String(flat[i]),
      lastSequence: Number(flat[i + 1]),
      status: flat[i + 2] as RunStatus,
    });
  }
  return notices;
}
