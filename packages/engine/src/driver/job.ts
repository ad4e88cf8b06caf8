import type { Command, Reply } from '../commands.ts';
import type { Effect } from '../ports/effects.ts';
import type { Slice } from '../ports/store.ts';

export type Job =
  | { readonly kind: 'command'; readonly command: Command }
  | { readonly kind: 'tree'; readonly rootId: string }
  /** The store can never keep what this tree wants to record. */
  | { readonly kind: 'set-aside'; readonly rootId: string; readonly reason: string };

export interface Outcome {
  /** To be given once the slice is durable. */
  readonly reply?: Reply;
  readonly slice?: Slice;
  /** The tree has more to do and waits for its next turn. */
  readonly unfinished?: string;
  readonly effects?: readonly Effect[];
}
