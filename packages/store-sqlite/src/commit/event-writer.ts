import type { Database, Value } from '../database/database.ts';

const ROWS_AT_ONCE = 16;
const COLUMNS = 4;

/** 1 if a step begins with the event, 0 if not, null if it is not known. */
export type Starts = 0 | 1 | null;

/** Appends events. Rows are gathered over a group of slices: one statement for many rows is faster. */
export interface EventWriter {
  add(runNo: number, sequence: number, data: string, starts: Starts): void;
  /** Writes the gathered events. Before this call, added events may be missing in the database. */
  flush(): void;
  /** Drops the gathered events after the transaction was rolled back. */
  drop(): void;
}

export function eventWriter(database: Database): EventWriter {
  const one = database.prepare(insertion(1));
  const many = database.prepare(insertion(ROWS_AT_ONCE));
  const pending: Value[] = new Array<Value>(ROWS_AT_ONCE * COLUMNS).fill(null);
  let filled = 0;

  return {
    add(runNo, sequence, data, starts) {
      pending[filled] = runNo;
      pending[filled + 1] = sequence;
      pending[filled + 2] = data;
      pending[filled + 3] = starts;
      filled += COLUMNS;
      if (filled < pending.length) return;
      filled = 0;
      many.run(...pending);
    },
    flush() {
      for (let at = 0; at < filled; at += COLUMNS) one.run(...pending.slice(at, at + COLUMNS));
      filled = 0;
    },
    drop() {
      filled = 0;
    },
  };
}

function insertion(rows: number): string {
  return `INSERT INTO events (run_no, seq, data, starts) VALUES ${new Array(rows).fill('(?, ?, ?, ?)').join(', ')}`;
}
