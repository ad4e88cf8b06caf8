import { type PlacedEvent, restored } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type LogPart, logParts } from './log-parts.ts';
import type { RunColumns } from './run-row.ts';

interface PlacedColumns {
  readonly sequence: number;
  readonly place: number;
  readonly data: string;
  readonly starts: number;
  readonly stepEnd: number;
}

/** An index of a log, and the place in the tree that belongs to it. */
interface Boundary {
  readonly sequence: number;
  readonly place: number;
}

interface Log {
  /** Events with sequence >= `from`, at most `limit`. */
  read(run: RunColumns, from: number, limit: number): readonly PlacedEvent[];
  /** The last index at or before `sequence` at which no step is half done, and the last place that belongs to it. */
  stepBoundary(run: RunColumns, sequence: number): Boundary | undefined;
  /** How many events the run had at that place of its tree. */
  headAt(run: RunColumns, place: number): number;
}

export function logOf(database: Database): Log {
  const partsOf = logParts(database);
  const events = database.prepare<PlacedColumns>(
    `SELECT seq AS sequence, place, data, starts IS NOT 0 AS starts, place + step_rest AS stepEnd FROM events
     WHERE run_no = ? AND seq >= ? AND seq < ? ORDER BY seq LIMIT ?`,
  );
  const placeOf = database.prepare<{ place: number; stepRest: number }>(
    'SELECT place, step_rest AS stepRest FROM events WHERE run_no = ? AND seq = ?',
  );

  /**
   * The first sequence of the part whose event is not `before`. Places and ends of steps grow with the
   * sequence, so a binary search finds it.
   */
  function firstNot(part: LogPart, before: (event: { place: number; stepRest: number }) => boolean): number {
    let low = part.from;
    let high = part.to;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = placeOf.get(part.runNo, middle);
      if (found !== undefined && before(found)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function headIn(parts: readonly LogPart[], place: number): number {
    for (const part of [...parts].reverse()) {
      const head = firstNot(part, (event) => event.place <= place);
      if (head > part.from) return head;
    }
    return 0;
  }

  /**
   * Where the step of an event ends. A fork may be cut within a step, and its places go on from the cut: for
   * the fork, the step ends there.
   */
  function stepEnd(parts: readonly LogPart[], at: number, sequence: number): number | undefined {
    const part = parts[at];
    const next = parts.slice(at + 1).find(({ from, to }) => to > from);
    const event = part && placeOf.get(part.runNo, sequence);
    const after = next && placeOf.get(next.runNo, next.from);
    const end = event && event.place + event.stepRest;
    return end !== undefined && after !== undefined ? Math.min(end, after.place - 1) : end;
  }

  function boundaryIn(parts: readonly LogPart[], sequence: number): Boundary | undefined {
    const at = parts.findIndex(({ from, to }) => sequence > from && sequence <= to);
    const part = parts[at];
    const end = stepEnd(parts, at, sequence - 1);
    if (part === undefined || end === undefined) return undefined;
    // A step can have events in several runs of the tree, before and after the last event before the index.
    if (headIn(parts, end) === sequence) return { sequence, place: end };
    const begun = firstNot(part, ({ place, stepRest }) => place + stepRest < end);
    // Other runs may have moved before the step began. An index has one place, however it was asked for: a replay
    // of the fork finds the fork's index only, and has to find the same children there.
    return begun === 0 ? { sequence: 0, place: 0 } : boundaryIn(parts, begun);
  }

  return {
    read(run, from, limit) {
      const found: PlacedEvent[] = [];
      for (const part of partsOf(run, run.head)) {
        if (part.to <= from || found.length >= limit) continue;
        const start = Math.max(part.from, from);
        for (const row of events.all(part.runNo, start, part.to, limit - found.length)) {
          found.push(placedEvent(row, part.runId));
        }
      }
      return found;
    },
    stepBoundary: (run, sequence) =>
      sequence > run.head ? undefined : boundaryIn(partsOf(run, run.head), sequence),
    headAt: (run, place) => headIn(partsOf(run, run.head), place),
  };
}

function placedEvent(row: PlacedColumns, runId: string): PlacedEvent {
  const { sequence, place, data, starts, stepEnd } = row;
  return { place, text: restored(data, runId, sequence), starts: starts === 1, stepEnd };
}
