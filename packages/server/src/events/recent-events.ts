import type { ChangeFeed, LogReads } from '@baton/engine/ports';
import type { RunOfTenant } from '../runs/run-of.ts';
import { charactersIn, FRESH_CHARACTERS, type FreshStretch } from '../thread/fresh-events.ts';

/** Events of recently written logs, kept in memory: the first ones, and those that readers follow. All are committed. */
export interface RecentEvents {
  readonly tails: Tails;
  add(stretch: FreshStretch): void;
  /** The remembered events from a position on, or `undefined` when the store has to be read. */
  read(tenant: string, runId: string, from: number, limit: number): readonly string[] | undefined;
  /** Forgets the events that the store no longer has. */
  follow(feed: ChangeFeed): void;
}

/** The newest events of long logs, which are kept while somebody reads them. */
interface Tails {
  /** From now on the newest events of the run are kept, until the returned function is called. */
  follow(run: RunOfTenant): () => void;
  /** Told when the first reader of a run has come, and when the last one has gone. */
  onFollowed(listener: (runId: string, isFollowed: boolean) => void): void;
}

interface Remembered {
  readonly tenant: string;
  /** The sequence of the first event. */
  readonly first: number;
  readonly events: string[];
  size: number;
}

const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Bounded by size: the log that was written longest ago is dropped first. A stretch that leaves a gap after the previous
 * one, or would make a log large, is where a followed log begins again; for other logs it is ignored.
 */
export function createRecentEvents(capacity = MAX_CHARACTERS): RecentEvents {
  /** The log that was written longest ago comes first. */
  const logs = new Map<string, Remembered>();
  const followed = new Map<string, { readonly tenant: string; readers: number }>();
  let total = 0;
  let tell: (runId: string, isFollowed: boolean) => void = () => undefined;

  function forget(runId: string): void {
    total -= logs.get(runId)?.size ?? 0;
    logs.delete(runId);
  }

  function begun({ runId, tenant, first }: FreshStretch): Remembered | undefined {
    const owner = first === 0 && tenant !== '' ? tenant : followed.get(runId)?.tenant;
    return owner === undefined ? undefined : { tenant: owner, first, events: [], size: 0 };
  }

  return {
    tails: {
      follow({ tenant, runId }) {
        const entry = followed.get(runId) ?? { tenant, readers: 0 };
        followed.set(runId, entry);
        entry.readers += 1;
        if (entry.readers === 1) tell(runId, true);
        return () => {
          entry.readers -= 1;
          if (entry.readers > 0) return;
          followed.delete(runId);
          forget(runId);
          tell(runId, false);
        };
      },
      onFollowed(listener) {
        tell = listener;
      },
    },
    follow(feed) {
      feed.changes((change) => {
        if (change.kind === 'log') forget(change.runId);
        if (change.kind !== 'missed') return;
        logs.clear();
        total = 0;
        // The thread that sends the events may be a new one.
        for (const runId of followed.keys()) tell(runId, true);
      });
    },
    add(stretch) {
      const { runId, first, events } = stretch;
      const added = charactersIn(events);
      if (added > FRESH_CHARACTERS) return;
      const known = logs.get(runId);
      const isNext = known !== undefined && known.first + known.events.length === first;
      const log = isNext && known.size + added <= FRESH_CHARACTERS ? known : begun(stretch);
      if (log === undefined) return;
      forget(runId);
      log.events.push(...events);
      log.size += added;
      logs.set(runId, log);
      total += log.size;
      for (const oldest of logs.keys()) {
        if (total <= capacity) break;
        forget(oldest);
      }
    },
    read(tenant, runId, from, limit) {
      const log = logs.get(runId);
      if (log === undefined || log.tenant !== tenant) return undefined;
      const at = from - log.first;
      return at < 0 || at >= log.events.length ? undefined : log.events.slice(at, at + limit);
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
