import type { HostLimits, Retention } from '@baton/engine';
import type { Loss } from '@baton/engine/ports';
import type { VaultContents } from '../secrets/host-vault.ts';
import type { FlatEvents } from './fresh-events.ts';

/**
 * What the two threads say to each other. Commands, replies and effects travel as JSON text and notices as
 * runs of primitives in one flat array: cloning many small objects costs several times as much.
 */

export interface EngineThreadSettings {
  readonly dataFolder: string;
  readonly alwaysReplay: boolean;
  /** Those that differ from the usual ones. */
  readonly limits: Partial<HostLimits>;
  readonly auditKeyFile?: string | undefined;
  readonly retention?: Retention;
  /** Has what conformance suites need beside the product. */
  readonly conformance?: boolean;
  /** Where the engine notes what it works on; see `in-hand.ts`. */
  readonly inHand: SharedArrayBuffer;
}

/** Whether the store takes a write. */
export type StorageState = 'writable' | 'full' | 'failing';

/** `[id, text, id, text, …]` */
export type Numbered = readonly (number | string)[];

/** `[runId, lastSequence, status, …]` */
export type FlatNotices = readonly (number | string)[];

export type ToEngine =
  /** `loss`: the tree that the thread before this one was lost with. */
  | { readonly kind: 'open'; readonly vault: VaultContents; readonly loss?: Loss }
  /** The host listens: go on with what was under way. */
  | { readonly kind: 'recover' }
  | { readonly kind: 'commands'; readonly commands: Numbered }
  | { readonly kind: 'outcome'; readonly effect: number; readonly outcome: string }
  /** Are you there, and can the store be written to? */
  | { readonly kind: 'check' }
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
      /** Events made durable since the last message. */
      readonly events: number;
    }
  | { readonly kind: 'checked'; readonly storage: StorageState }
  | { readonly kind: 'log'; readonly level: string; readonly message: string; readonly fields: string }
  | { readonly kind: 'fatal'; readonly message: string }
  | { readonly kind: 'stopped' };
