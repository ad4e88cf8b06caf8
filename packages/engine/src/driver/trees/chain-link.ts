import { FIRST_LINK } from '@baton/protocol';
import { extendLink } from '../../audit/sha256.ts';
import type { Store, StoredRun } from '../../ports/store.ts';

/** The newest link of a log's hash chain. The rows of runs from versions without hash chains lack it. */

const EVENTS_AT_ONCE = 512;

/** The link after the last stored event of the run. */
export async function linkOf(store: Store, { row, savedState, tail }: StoredRun): Promise<string> {
  if (row.chain !== undefined) return row.chain;
  return linkAfter(store, row.runId, row.head, savedState, tail);
}

/** The link before the event `sequence`. The hash chain of a fork at this index continues from it. */
export async function linkBefore(store: Store, runId: string, sequence: number): Promise<string> {
  const stored = await store.storedRunAt(runId, sequence);
  if (stored === undefined) throw new Error(`there is no run ${runId}`);
  return linkAfter(store, runId, sequence, stored.savedState, stored.tail);
}

/**
 * The link after `sequence` events, computed from the saved state and the events after it. If the saved state
 * has no link, the whole log is read, one page after the other.
 */
export async function linkAfter(
  store: Store,
  runId: string,
  sequence: number,
  savedState: StoredRun['savedState'],
  tail: readonly string[],
): Promise<string> {
  if (savedState === undefined) return extendLink(FIRST_LINK, tail);
  if (savedState.chain !== undefined) return extendLink(savedState.chain, tail);
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
