import type { Database } from '../database/database.ts';

/** How many runs are remembered; the oldest entry makes room. A run that was forgotten costs one query. */
const CAPACITY = 50_000;

/** The integer key of each run that is alive, so that a slice need not look it up. */
export interface RunNumbers {
  of(runId: string): number | undefined;
  add(runId: string, runNo: number): void;
  forget(runId: string): void;
  clear(): void;
}

export function runNumbers(database: Database, capacity: number = CAPACITY): RunNumbers {
  const known = new Map<string, number>();
  const stored = database.prepare<{ run_no: number }>('SELECT run_no FROM runs WHERE run_id = ?');

  function add(runId: string, runNo: number): void {
    known.set(runId, runNo);
    if (known.size <= capacity) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      return;
    }
  }

  return {
    of(runId) {
      const found = known.get(runId);
      if (found !== undefined) return found;
      const runNo = stored.get(runId)?.run_no;
      if (runNo !== undefined) add(runId, runNo);
      return runNo;
    },
    add,
    forget: (runId) => {
      known.delete(runId);
    },
    clear: () => known.clear(),
  };
}
