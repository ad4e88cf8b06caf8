import type { Database, Value } from '../database/database.ts';

const ROWS_AT_ONCE = 16;
const COLUMNS = 4;

/** 1 when a step begins with the event, null when nobody knows. */
export type Starts = 0 | 1 | null;

/** Appends events. Rows are gathered over a whole group of slices, as one statement for many is cheaper. */
export interface EventWriter {
  add(runNo: number, sequence: number, data: string, starts: Starts): void;
  /** Writes what has been gathered; before this, added events may not have reached the database. */
  flush(): void;
  /** Drops what has been gathered, when the transaction is given up. */
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
