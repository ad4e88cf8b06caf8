import { BatonError } from '@baton/protocol';
import type { ImportPartCommand } from '../commands.ts';
import type { Slice, Store } from '../ports/store.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';

/**
 * Takes in a tree that another host has written, part by part, as whoever read the bundle has prepared it. Nobody sees
 * anything of it before the last part is stored, and what is left of an import that was interrupted is removed.
 */
export function importPart({ part, result }: ImportPartCommand): Outcome & { readonly slice: Slice } {
  const slice = JSON.parse(part) as Slice;
  return { slice, reply: done(result ? { kind: 'imported', ...result } : { kind: 'done' }) };
}

/** The store has no room for the part, or the part does not fit: tried again it would not fit either. */
export function importRefused(full: boolean): BatonError {
  if (full) return new BatonError('storage_full');
  return new BatonError('bundle_invalid', 'The bundle holds runs that cannot be stored one after the other.');
}

const AT_ONCE = 500;

/** What imports left behind when the process was lost. */
export async function dropInterruptedImports(store: Store): Promise<void> {
  for (const waiting of await store.arriving()) await dropArriving(store, waiting);
}

/** Beside everything else: others have the thread between two steps. */
export async function dropArriving(store: Store, waiting: string): Promise<void> {
  while ((await store.dropArriving(waiting, AT_ONCE)) > 0) await turnOfOthers();
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
