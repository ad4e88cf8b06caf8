import type { ForkBase, Slice } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Queries } from '../database/database.ts';
import type { Self } from '../self.ts';
import { lockedForkBase } from './fork-base.ts';
import { knownRuns } from './known-runs.ts';
import { numberPool } from './number-pool.ts';
import { type NumberedRun, runNumbers } from './run-numbers.ts';
import { forksIn } from './segments.ts';
import { type Batch, batchOf } from './slice-writer.ts';

/** The runs that a transaction has created so far. */
export type Created = Map<string, NumberedRun>;

/** Makes batches of slices. It knows the numbers of the runs that they name. */
export interface BatchMaker {
  /** Rejects if a slice is unfit or outdated. Forks are looked up, and locked, in the transaction of `queries`. */
  make(queries: Queries, slices: readonly Slice[], created: Created): Promise<Batch>;
  /** Must be called after these slices were committed. */
  committed(slices: readonly Slice[], created: Created): void;
}

export function batchMaker(self: Self): BatchMaker {
  const numbers = runNumbers();
  const pool = numberPool();
  return {
    async make(queries, slices, created) {
      const bases = await basesOf(queries, slices);
      const known = await knownRuns(queries, slices, { numbers, pool, created });
      return batchOf(slices, { self, known, bases });
    },
    committed(slices, created) {
      for (const [runId, run] of created) numbers.add(runId, run);
      for (const { runs } of slices) {
        for (const { runId, status } of runs) if (isTerminal(status)) numbers.forget(runId);
      }
    },
  };
}

/** Forks whose events do not exist, or not for their tenant, are left out. */
async function basesOf(queries: Queries, slices: readonly Slice[]): Promise<ReadonlyMap<string, ForkBase>> {
  const bases = new Map<string, ForkBase>();
  for (const { runId, fork, tenant } of forksIn(slices)) {
    const base = await lockedForkBase(queries, fork, tenant);
    if (base !== undefined) bases.set(runId, base);
  }
  return bases;
}
