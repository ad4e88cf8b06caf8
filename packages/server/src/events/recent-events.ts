import type { ChangeFeed, LogReads } from '@baton/engine/ports';
import { charactersIn, FRESH_CHARACTERS, type FreshStretch } from '../thread/fresh-events.ts';
import { type LogTails, logTails } from './log-tails.ts';

/** Events of recently written logs, kept in memory: the first ones, and those that readers follow. All are committed. */
export interface RecentEvents {
  readonly tails: Pick<LogTails, 'follow' | 'onFollowed'>;
  add(stretch: FreshStretch): void;
  /** The remembered events from a position on, or `undefined` when the store has to be read. */
  read(tenant: string, runId: string, from: number, limit: number): readonly string[] | undefined;
  /** Forgets the events that the store no longer has. */
  follow(feed: ChangeFeed): void;
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
  const tails = logTails();
  const runs = new Map<string, Remembered>();
  let total = 0;

  function forget(runId: string): void {
    total -= runs.get(runId)?.size ?? 0;
    runs.delete(runId);
  }

  return {
    tails,
    follow(feed) {
      feed.changes((change) => {
        if (change.kind === 'log') {
          forget(change.runId);
          tails.forget(change.runId);
        } else if (change.kind === 'missed') {
          for (const runId of [...runs.keys()]) forget(runId);
          tails.missed();
        }
      });
    },
    add(stretch) {
      const { runId, tenant, first, events } = stretch;
      tails.add(stretch);
      const run = first === 0 && tenant !== '' ? { tenant, events: [], size: 0 } : runs.get(runId);
      if (run === undefined || run.events.length !== first) return;
      const added = charactersIn(events);
      run.events.push(...events);
      run.size += added;
      total += added;
      runs.set(runId, run);
      if (run.size > FRESH_CHARACTERS) forget(runId);
      for (const oldest of runs.keys()) {
        if (total <= capacity) break;
        forget(oldest);
      }
    },
    read(tenant, runId, from, limit) {
      const run = runs.get(runId);
      if (run === undefined || run.tenant !== tenant || from >= run.events.length)
        return tails.read(tenant, runId, from, limit);
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
