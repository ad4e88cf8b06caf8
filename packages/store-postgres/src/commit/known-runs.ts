import type { Slice } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import type { NumberPool } from './number-pool.ts';
import type { NumberedRun, RunNumbers } from './run-numbers.ts';
import { OutdatedSliceError } from './unfit-slice.ts';

/** The runs that slices name: those that are stored, and those that the transaction creates. */
export interface KnownRuns {
  of(runId: string): NumberedRun | undefined;
  /** Gives a number to a new run. */
  create(runId: string, tenant: string): NumberedRun;
}

interface NumberSources {
  readonly numbers: RunNumbers;
  readonly pool: NumberPool;
  /** The runs that earlier slices of the transaction have created. Those of these slices are added. */
  readonly created: Map<string, NumberedRun>;
}

export async function knownRuns(
  queries: Queries,
  slices: readonly Slice[],
  { numbers, pool, created }: NumberSources,
): Promise<KnownRuns> {
  const { named, births } = namedIn(slices);
  const wanted = [...named].filter((runId) => !created.has(runId));
  const [stored, free] = await Promise.all([numbers.find(queries, wanted), pool.take(queries, births)]);
  let used = 0;
  return {
    of: (runId) => created.get(runId) ?? stored.get(runId),
    create(runId, tenant) {
      if (created.has(runId)) throw new OutdatedSliceError();
      const run = { runNo: free[used++] ?? Number.NaN, tenant };
      created.set(runId, run);
      return run;
    },
  };
}

/** The ids of all runs that must be stored already, unless these slices create them, and how many are created. */
function namedIn(slices: readonly Slice[]): { named: ReadonlySet<string>; births: number } {
  const named = new Set<string>();
  const born = new Set<string>();
  let births = 0;
  for (const { rootId, from, runs, effects } of slices) {
    if (from !== undefined) named.add(rootId);
    for (const { runId, created } of runs) {
      if (created === undefined) {
        named.add(runId);
        continue;
      }
      births += 1;
      born.add(runId);
      named.add(created.rootId);
      if (created.parentRunId !== undefined) named.add(created.parentRunId);
    }
    if (effects === undefined) continue;
    for (const { runId } of effects.begun) named.add(runId);
    if (effects.settled !== 'all') for (const { runId } of effects.settled) named.add(runId);
  }
  for (const runId of born) named.delete(runId);
  return { named, births };
}
