import { FIRST_LINK } from '@baton/protocol';
import { extendLink } from '../../audit/sha256.ts';
import type { Store, StoredRun } from '../../ports/store.ts';

/** Where a log's hash chain stands. It is on the run's row, unless the run is from before there were chains. */

const EVENTS_AT_ONCE = 512;

/** The link after everything that is stored of the run. */
export async function linkOf(
  store: Store,
  { row, savedState: checkpoint, tail }: StoredRun,
): Promise<string> {
  if (row.chain !== undefined) return row.chain;
  return linkAfter(store, row.runId, row.head, checkpoint, tail);
}

/** The link before event `sequence`, which is where a fork at that index goes on. */
export async function linkBefore(store: Store, runId: string, sequence: number): Promise<string> {
  const stored = await store.storedRunAt(runId, sequence);
  if (stored === undefined) throw new Error(`there is no run ${runId}`);
  return linkAfter(store, runId, sequence, stored.savedState, stored.tail);
}

/** A tail that begins at a checkpoint without a link says nothing: then the whole log is read, a page at a time. */
export async function linkAfter(
  store: Store,
  runId: string,
  sequence: number,
  checkpoint: StoredRun['savedState'],
  tail: readonly string[],
): Promise<string> {
  if (checkpoint === undefined) return extendLink(FIRST_LINK, tail);
  if (checkpoint.chain !== undefined) return extendLink(checkpoint.chain, tail);
  let link = FIRST_LINK;
  for (let from = 0; from < sequence; ) {
    const page = await store.placedEvents(runId, from, Math.min(EVENTS_AT_ONCE, sequence - from));
    if (page.length === 0) throw new Error(`the log of run ${runId} ends before event ${sequence}`);
    link = extendLink(
      link,
      page.map((event) => event.text),
    );
    from += page.length;
  }
  return link;
}
