import type { Caller, ImportResult, SecretChange } from '@baton/engine';
import type { ErrorBody } from '@baton/protocol';
import type { VaultContents } from '../secrets/host-vault.ts';

/** The messages between the main thread and the thread that reads bundles. */

/** The same for every bundle. */
export interface ReaderSettings {
  readonly vault: VaultContents;
  /** Public keys, as PEM. */
  readonly knownKeys: readonly string[];
  /** The address of a module with further node types; see `Extension`. */
  readonly extension?: string | undefined;
}

export interface ReaderTask {
  /** The body of the request, as it was received. */
  readonly body: Uint8Array;
  readonly caller: Caller;
  /** The secrets that the tenant of the caller has set while the host was running. */
  readonly secrets: readonly SecretChange[];
  readonly at: number;
}

export type ToReader =
  | ({ readonly kind: 'read' } & ReaderTask)
  /** The next part of the bundle that was read last. */
  | { readonly kind: 'next' }
  /** The rest of the bundle is not needed. */
  | { readonly kind: 'forget' };

export type FromReader =
  | {
      readonly kind: 'read';
      /** The digest of the body, which identifies the request. */
      readonly digest: string;
      readonly result: ImportResult;
      readonly parts: number;
    }
  | { readonly kind: 'refused'; readonly error: ErrorBody }
  /** The answer to `next`. */
  | { readonly kind: 'part'; readonly part: string };
