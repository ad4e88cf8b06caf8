import type { LogReads } from '@baton/engine/ports';
import { charactersIn, FRESH_CHARACTERS, type FreshStretch } from '../thread/fresh-events.ts';

/** The first events of recently written logs, kept in memory. All of them are committed. */
export interface RecentEvents {
  add(stretch: FreshStretch): void;
  /** The remembered events from a position on, or `undefined` when the store has to be read. */
  read(tenant: string, runId: string, from: number, limit: number): readonly string[] | undefined;
  forget(runId: string): void;
}

interface Remembered {
  readonly tenant: string;
  readonly events: string[];
  size: number;
}

const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Bounded by size: the oldest run is dropped first. A stretch that leaves a gap after the previous one is
 * ignored.
 */
export function createRecentEvents(capacity = MAX_CHARACTERS): RecentEvents {
  const runs = new Map<string, Remembered>();
  let total = 0;

  function forget(runId: string, run: Remembered): void {
    runs.delete(runId);
    total -= run.size;
  }

  return {
    forget(runId) {
      const run = runs.get(runId);
      if (run !== undefined) forget(runId, run);
    },
    add({ runId, tenant, first, events }) {
      const run = first === 0 && tenant !== '' ? { tenant, events: [], size: 0 } : runs.get(runId);
      if (run === undefined || run.events.length !== first) return;
      const added = charactersIn(events);
      run.events.push(...events);
      run.size += added;
      total += added;
      runs.set(runId, run);
      if (run.size > FRESH_CHARACTERS) forget(runId, run);
      for (const [oldest, state] of runs) {
        if (total <= capacity) break;
        forget(oldest, state);
      }
    },
    read(tenant, runId, from, limit) {
      const run = runs.get(runId);
      if (run === undefined || run.tenant !== tenant || from >= run.events.length) return undefined;
      return run.events.slice(from, from + limit);
    },
  };
}

/** The reads of a store, with remembered events read from memory. */
export function readingRecentFirst<R extends Pick<LogReads, 'events'>>(reads: R, recent: RecentEvents): R {
  return {
    ...reads,
    events: async (tenant: string, runId: string, from: number, limit: number) =>
      recent.read(tenant, runId, from, limit) ?? (await reads.events(tenant, runId, from, limit)),
  };
}
