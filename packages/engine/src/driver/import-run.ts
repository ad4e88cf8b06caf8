import { BatonError } from '@baton/protocol';
import type { ImportPartCommand } from '../commands.ts';
import type { Slice, Store } from '../ports/store.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import type { SliceFate } from './rounds/store-round.ts';
import { turnOfOthers } from './turn-of-others.ts';

/**
 * Stores one part of a tree that another host has written. `bundle/` has prepared the part. The tree is
 * visible only after its last part was stored. The parts of an interrupted import are removed.
 */
export function importPart({ part, result }: ImportPartCommand): Outcome & { readonly slice: Slice } {
  const slice = JSON.parse(part) as Slice;
  return { slice, reply: done(result ? { kind: 'imported', ...result } : { kind: 'done' }) };
}

/** The store is full, or it cannot store this part. Another try would have the same result. */
export function importRefused(fate: SliceFate): BatonError {
  if (fate === 'full') return new BatonError('storage_full');
  if (fate === 'unavailable') return new BatonError('store_unavailable');
  return new BatonError('bundle_invalid', 'The store cannot store the runs of the bundle in their order.');
}

const AT_ONCE = 500;

/** Removes the parts of imports that were under way when the process ended. */
export async function dropInterruptedImports(store: Store): Promise<void> {
  for (const waiting of await store.arriving()) await dropArriving(store, waiting);
}

/** Removes a few rows at a time, so that other work can use the thread in between. */
export async function dropArriving(store: Store, waiting: string): Promise<void> {
  while ((await store.dropArriving(waiting, AT_ONCE)) > 0) await turnOfOthers();
}
