import type { Caller, ImportResult } from '@baton/engine';
import type { ErrorBody } from '@baton/protocol';
import type { VaultContents } from '../secrets/host-vault.ts';

/** What the thread that reads a bundle is given, and what it says. */

/** The same for every bundle. */
export interface ReaderSettings {
  readonly vault: VaultContents;
  /** Public halves, as PEM. */
  readonly knownKeys: readonly string[];
  /** Knows the node types that conformance suites drive. */
  readonly conformance: boolean;
}

export interface ReaderTask {
  /** The body of the request, as it came. */
  readonly body: Uint8Array;
  readonly caller: Caller;
  readonly at: number;
}

export type ToReader =
  | ({ readonly kind: 'read' } & ReaderTask)
  /** The next part of the bundle that was read last. */
  | { readonly kind: 'next' }
  /** Nothing more is wanted of it. */
  | { readonly kind: 'forget' };

export type FromReader =
  | {
      readonly kind: 'read';
      /** Of the body, to tell one request from another. */
      readonly digest: string;
      readonly result: ImportResult;
      readonly parts: number;
    }
  | { readonly kind: 'refused'; readonly error: ErrorBody }
  /** The answer to `next`. */
  | { readonly kind: 'part'; readonly part: string };
