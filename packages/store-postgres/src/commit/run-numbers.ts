import type { Queries } from '../database/database.ts';

/** How many runs are cached. The oldest entry is removed first; runs that are not cached cost one query. */
const CAPACITY = 50_000;

export interface NumberedRun {
  readonly runNo: number;
  readonly tenant: string;
}

/** A cache of the number and the tenant of each run that has not ended. */
export interface RunNumbers {
  /** The runs of these ids that are stored. Those that are not cached are looked up together. */
  find(queries: Queries, runIds: Iterable<string>): Promise<Map<string, NumberedRun>>;
  add(runId: string, run: NumberedRun): void;
  forget(runId: string): void;
  clear(): void;
}

export function runNumbers(capacity: number = CAPACITY): RunNumbers {
  const known = new Map<string, NumberedRun>();

  function add(runId: string, run: NumberedRun): void {
    known.set(runId, run);
    if (known.size <= capacity) return;
    for (const oldest of known.keys()) {
      known.delete(oldest);
      return;
    }
  }

  return {
    async find(queries, runIds) {
      const found = new Map<string, NumberedRun>();
      const unknown: string[] = [];
      for (const runId of runIds) {
        const run = known.get(runId);
        if (run === undefined) unknown.push(runId);
        else found.set(runId, run);
      }
      if (unknown.length === 0) return found;
      const rows = await queries.rows<NumberedRun & { readonly runId: string }>(FIND, unknown);
      for (const { runId, ...run } of rows) {
        add(runId, run);
        found.set(runId, run);
      }
      return found;
    },
    add,
    forget: (runId) => {
      known.delete(runId);
    },
    clear: () => known.clear(),
  };
}

const FIND = 'SELECT run_id AS "runId", run_no AS "runNo", tenant FROM runs WHERE run_id = ANY($1)';
