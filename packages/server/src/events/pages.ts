import type { LogReads } from '@baton/engine/ports';
import type { RunOfTenant } from '../runs/run-of.ts';

const MAX_EVENTS = 256;
const MAX_BYTES = 256 * 1024;
const FIRST_EVENTS = 64;
/**
 * The first few events show how large the others may be. If they are small, the rest of the first page is
 * read.
 */
const PROBED_EVENTS = 8;
const PROBED_BYTES = 32 * 1024;

/** Reads a log in pages that are small enough to hold in memory, even when its events are large. */
export function createPages(reads: Pick<LogReads, 'events'>, run: RunOfTenant, from: number) {
  let next = from;
  let size = FIRST_EVENTS;
  let probed = false;

  async function readFirst(): Promise<readonly string[]> {
    const few = await reads.events(run.tenant, run.runId, next, PROBED_EVENTS);
    if (few.length < PROBED_EVENTS || bytesIn(few) > PROBED_BYTES) return few;
    const rest = await reads.events(run.tenant, run.runId, next + few.length, size - few.length);
    return [...few, ...rest];
  }

  return {
    /** Sequence of the first event that has not been read. */
    position: () => next,
    /** The next page; empty at the end of the stored log. Called again only after the last page was read. */
    async read(): Promise<readonly string[]> {
      const events = await (probed ? await reads.events(run.tenant, run.runId, next, size) : readFirst());
      if (!probed && events.length === PROBED_EVENTS) size = PROBED_EVENTS;
      probed = true;
      next += events.length;
      size = nextSize(size, events);
      return events;
    },
  };
}

/** Large events make the next page shorter; small events make it longer again. */
export function nextSize(size: number, events: readonly string[]): number {
  const bytes = bytesIn(events);
  if (bytes > MAX_BYTES) return Math.max(1, size >> 1);
  if (events.length === size && bytes < MAX_BYTES / 2) return Math.min(MAX_EVENTS, size * 2);
  return size;
}

function bytesIn(events: readonly string[]): number {
  let bytes = 0;
  for (const event of events) bytes += event.length;
  return bytes;
}
