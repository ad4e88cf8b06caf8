import type { EventColumns } from '@baton/engine/ports';
import type { Database, Value } from '../database/database.ts';

const ROWS_AT_ONCE = 16;

/** Appends events. Rows are gathered over a group of slices: one statement for many rows is faster. */
export interface EventWriter {
  add(event: EventColumns): void;
  /** Writes the gathered events. Before this call, added events may be missing in the database. */
  flush(): void;
  /** Drops the gathered events after the transaction was rolled back. */
  drop(): void;
}

export function eventWriter(database: Database): EventWriter {
  const one = database.prepare(insertion(1));
  const many = database.prepare(insertion(ROWS_AT_ONCE));
  const pending: Value[] = new Array<Value>(ROWS_AT_ONCE * COLUMNS.length).fill(null);
  let filled = 0;

  return {
    add({ runNo, sequence, data, starts, place, stepRest }) {
      pending[filled] = runNo;
      pending[filled + 1] = sequence;
      pending[filled + 2] = data;
      pending[filled + 3] = starts;
      pending[filled + 4] = place;
      pending[filled + 5] = stepRest;
      filled += COLUMNS.length;
      if (filled < pending.length) return;
      filled = 0;
      many.run(...pending);
    },
    flush() {
      for (let at = 0; at < filled; at += COLUMNS.length) one.run(...pending.slice(at, at + COLUMNS.length));
      filled = 0;
    },
    drop() {
      filled = 0;
    },
  };
}

const COLUMNS = ['run_no', 'seq', 'data', 'starts', 'place', 'step_rest'] as const;

function insertion(rows: number): string {
  const row = `(${COLUMNS.map(() => '?').join(', ')})`;
  return `INSERT INTO events (${COLUMNS.join(', ')}) VALUES ${new Array(rows).fill(row).join(', ')}`;
}
