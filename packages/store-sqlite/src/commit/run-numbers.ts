import type { Database } from '../database/database.ts';

/** How many runs are cached. The oldest entry is removed first; a run that is not cached costs one query. */
const CAPACITY = 50_000;

interface NumberedRun {
  readonly runNo: number;
  readonly tenant: string;
}

/** A cache of the integer key and the tenant of each run that has not ended. */
export interface RunNumbers {
  of(runId: string): number | undefined;
  tenantOf(runId: string): string | undefined;
  add(runId: string, runNo: number, tenant: string): void;
  forget(runId: string): void;
  clear(): void;
}

export function runNumbers(database: Database, capacity: number = CAPACITY): RunNumbers {
  const known = new Map<string, NumberedRun>();
  const stored = database.prepare<NumberedRun>('SELECT run_no AS runNo, tenant FROM runs WHERE run_id = ?');

  function add(runId: string, run: NumberedRun): void {
    known.set(runId, run);
    if (known.size <= capacity) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      return;
    }
  }

  function find(runId: string): NumberedRun | undefined {
    const found = known.get(runId);
    if (found !== undefined) return found;
    const run = stored.get(runId);
    if (run !== undefined) add(runId, run);
    return run;
  }

  return {
    of: (runId) => find(runId)?.runNo,
    tenantOf: (runId) => find(runId)?.tenant,
    add: (runId, runNo, tenant) => add(runId, { runNo, tenant }),
    forget: (runId) => {
      known.delete(runId);
    },
    clear: () => known.clear(),
  };
}
