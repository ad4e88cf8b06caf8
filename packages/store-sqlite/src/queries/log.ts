import type { PlacedEvent } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { logParts } from './log-parts.ts';
import type { RunColumns } from './run-row.ts';

type PlacedColumns = Omit<PlacedEvent, 'starts'> & { readonly starts: number };

interface Log {
  /** Events with sequence >= `from`, at most `limit`. */
  read(run: RunColumns, from: number, limit: number): readonly PlacedEvent[];
  /** The last index at or before `sequence` at which no step is half done, and the last place that belongs to it. */
  stepBoundary(run: RunColumns, sequence: number): { sequence: number; pos: number } | undefined;
  /** The place of the newest event of all. */
  newestPlace(): number;
  /** How many events the run had at that position in the order of all events of the store. */
  headAt(run: RunColumns, pos: number): number;
}

export function logOf(database: Database): Log {
  const partsOf = logParts(database);
  const events = database.prepare<PlacedColumns>(
    `SELECT pos, data AS text, starts IS NOT 0 AS starts FROM events
     WHERE run_no = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?`,
  );
  // The events of a slice stand together, and each slice begins with a step: these never look far.
  const startAfter = database.prepare<{ pos: number }>(
    'SELECT pos FROM events WHERE pos > ? AND starts IS NOT 0 ORDER BY pos LIMIT 1',
  );
  const startUpTo = database.prepare<{ pos: number }>(
    'SELECT pos FROM events WHERE pos <= ? AND starts IS NOT 0 ORDER BY pos DESC LIMIT 1',
  );
  const place = database.prepare<{ pos: number }>('SELECT pos FROM events WHERE run_no = ? AND seq = ?');

  const newest = database.prepare<{ pos: number | null }>('SELECT max(pos) AS pos FROM events');

  /** The positions of a run's events grow with their sequence, so a binary search finds the event. */
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

  function read(run: RunColumns, from: number, limit: number): readonly PlacedEvent[] {
    const found: PlacedEvent[] = [];
    for (const part of partsOf(run, run.head)) {
      if (part.to <= from || found.length >= limit) continue;
      const start = Math.max(part.from, from);
      for (const event of events.all(part.runNo, start, part.to, limit - found.length)) {
        found.push({ ...event, starts: event.starts === 1 });
      }
    }
    return found;
  }

  function headAt(run: RunColumns, pos: number): number {
    for (const part of [...partsOf(run, run.head)].reverse()) {
      const head = countUpTo(part.runNo, part.from, part.to, pos);
      if (head > part.from) return head;
    }
    return 0;
  }

  function stepBoundary(run: RunColumns, sequence: number): { sequence: number; pos: number } | undefined {
    if (sequence > run.head) return undefined;
    // A step can have events in several runs of the tree, before and after the last event before the index.
    const last = read(run, sequence - 1, 1)[0];
    if (last === undefined) return undefined;
    const next = startAfter.get(last.pos)?.pos;
    const end = next === undefined ? Number.MAX_SAFE_INTEGER : next - 1;
    if (headAt(run, end) === sequence) return { sequence, pos: end };
    const begun = headAt(run, (startUpTo.get(last.pos)?.pos ?? 1) - 1);
    // Other runs may have moved before the step began. An index has one position, however it was asked for: a replay
    // of the fork finds the fork's index only, and has to find the same children there.
    return begun === 0 ? { sequence: 0, pos: 0 } : stepBoundary(run, begun);
  }

  return {
    read,
    stepBoundary,
    newestPlace: () => newest.get()?.pos ?? 0,
    headAt,
  };
}
