import type { PlacedEvent } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { logParts } from './log-parts.ts';
import type { RunColumns } from './run-row.ts';

export interface Log {
  /** Events with sequence >= `from`, at most `limit`. */
  read(run: RunColumns, from: number, limit: number): readonly PlacedEvent[];
  /** How many events the run had at that place in the order of all events. */
  headAt(run: RunColumns, pos: number): number;
}

export function logOf(database: Database): Log {
  const partsOf = logParts(database);
  const events = database.prepare<PlacedEvent>(
    'SELECT pos, data AS text FROM events WHERE run_no = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?',
  );
  const place = database.prepare<{ pos: number }>('SELECT pos FROM events WHERE run_no = ? AND seq = ?');

  /** A run's events are placed in the order of their sequence, so the place is found by halving. */
  function countUpTo(runNo: number, from: number, to: number, pos: number): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = place.get(runNo, middle)?.pos;
      if (found !== undefined && found <= pos) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    read(run, from, limit) {
      const found: PlacedEvent[] = [];
      for (const part of partsOf(run, run.head)) {
        if (part.to <= from || found.length >= limit) continue;
        const start = Math.max(part.from, from);
        for (const event of events.all(part.runNo, start, part.to, limit - found.length)) found.push(event);
      }
      return found;
    },
    headAt(run, pos) {
      for (const part of [...partsOf(run, run.head)].reverse()) {
        const head = countUpTo(part.runNo, part.from, part.to, pos);
        if (head > part.from) return head;
      }
      return 0;
    },
  };
}
