import type { RunOfTenant } from '../runs/run-of.ts';
import { charactersIn, FRESH_CHARACTERS, type FreshStretch } from '../thread/fresh-events.ts';

/** The newest events of long logs that readers follow, kept in memory. All of them are committed. */
export interface LogTails {
  /** From now on the newest events of the run are kept, until the returned function is called. */
  follow(run: RunOfTenant): () => void;
  add(stretch: FreshStretch): void;
  /** The events from a position on, or `undefined` when they are not here. */
  read(tenant: string, runId: string, from: number, limit: number): readonly string[] | undefined;
  /** Forgets events that the store no longer has. */
  forget(runId: string): void;
  /** Forgets all events, because some may have been missed, and tells again which runs are followed. */
  missed(): void;
  /** Told when the first reader of a run has come, and when the last one has gone. */
  onFollowed(listener: (runId: string, isFollowed: boolean) => void): void;
}

interface Tail {
  readonly tenant: string;
  readers: number;
  /** The sequence of the first event. */
  first: number;
  events: readonly string[];
}

export function logTails(): LogTails {
  const tails = new Map<string, Tail>();
  let tell: (runId: string, isFollowed: boolean) => void = () => undefined;

  return {
    follow({ tenant, runId }) {
      const tail = tails.get(runId) ?? { tenant, readers: 0, first: 0, events: [] };
      tails.set(runId, tail);
      tail.readers += 1;
      if (tail.readers === 1) tell(runId, true);
      return () => {
        tail.readers -= 1;
        if (tail.readers > 0) return;
        tails.delete(runId);
        tell(runId, false);
      };
    },
    add({ runId, first, events }) {
      const tail = tails.get(runId);
      if (tail === undefined) return;
      const follows = tail.first + tail.events.length === first;
      const joined = follows ? [...tail.events, ...events] : events;
      // A reader is rarely behind by more than the last stretch.
      const isSmall = follows && charactersIn(joined) <= FRESH_CHARACTERS;
      tail.events = isSmall ? joined : events;
      tail.first = isSmall ? tail.first : first;
    },
    read(tenant, runId, from, limit) {
      const tail = tails.get(runId);
      if (tail === undefined || tail.tenant !== tenant) return undefined;
      const at = from - tail.first;
      if (at < 0 || at >= tail.events.length) return undefined;
      return tail.events.slice(at, at + limit);
    },
    forget(runId) {
      const tail = tails.get(runId);
      if (tail !== undefined) tail.events = [];
    },
    missed() {
      for (const [runId, tail] of tails) {
        tail.events = [];
        tell(runId, true);
      }
    },
    onFollowed(listener) {
      tell = listener;
    },
  };
}
