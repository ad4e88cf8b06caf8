import type { ModelCall } from '@baton/engine/ports';
import type { Vendor } from '../vendors.ts';

/**
 * The messages between the main thread and the model thread. Calls and answers are sent as JSON text, and parts
 * of answers as primitives in one flat array: cloning many small objects costs several times as much.
 */

/** A call as it is sent to the model thread. */
export interface SentCall {
  readonly request: ModelCall['request'];
  readonly key: string;
  readonly traceparent?: string | undefined;
  readonly vendor: Vendor;
}

export type ToModelThread =
  /** `call`: a `SentCall` as JSON. */
  | { readonly kind: 'ask'; readonly id: number; readonly call: string }
  | { readonly kind: 'abort'; readonly id: number }
  /** A thread that is not stuck sends news at once. */
  | { readonly kind: 'ping' };

/** `text` is a part of the answer, `reasoning` one of the reasoning. */
export type SaidKind = 'text' | 'reasoning';

export interface FromModelThread {
  /** `[id, kind, text, id, kind, text, …]`, in the order in which they were said. */
  readonly said: readonly (number | string)[];
  /** `[id, answer, …]`. Nothing follows the answer of a call. */
  readonly answers: readonly (number | string)[];
}
