import type { Slice, SliceResult } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import type { LaneConnection } from '../database/lane.ts';
import type { Self } from '../self.ts';
import type { BatchMaker, Created } from './batch-maker.ts';
import { changesIn, type Stretch } from './commit-row.ts';
import type { CommitParts } from './commit-whole.ts';
import { writeBatch } from './slice-transaction.ts';
import { isOutdated, refusalOf } from './unfit-slice.ts';

interface Written {
  readonly result: SliceResult;
  /** Empty if the slice was not stored. */
  readonly stretches: readonly Stretch[];
}

const FALLEN: Written = { result: 'conflict', stretches: [] };

/**
 * Commits the slices that can be stored, and returns a result for each slice. After a slice of a tree fails, all later
 * slices of the same tree fail too. A later slice may have been computed from the failed one, and its head may still fit
 * by chance, if another slice with the same number of events took the place of the failed one.
 */
export async function commitApart(
  { self, batches, transactions }: CommitParts,
  slices: readonly Slice[],
): Promise<readonly SliceResult[]> {
  const results: SliceResult[] = [];
  const created: Created = new Map();
  const stored = () => slices.filter((_, at) => results[at] === 'committed');
  await transactions.commitAfter(async (connection) => {
    const write = apartWriter(connection, self, batches);
    const all: Stretch[] = [];
    const fallen = new Set<string>();
    for (const slice of slices) {
      const moves = slice.runs.length > 0;
      const { result, stretches } = moves && fallen.has(slice.rootId) ? FALLEN : await write(slice, created);
      if (moves && result !== 'committed') fallen.add(slice.rootId);
      results.push(result);
      all.push(...stretches);
    }
    return { number: self.nextNumber(), stretches: all, changes: changesIn(stored()) };
  });
  batches.committed(stored(), created);
  return results;
}

/** Writes one slice within a transaction, or leaves nothing of it. */
function apartWriter(
  connection: LaneConnection,
  self: Self,
  batches: BatchMaker,
): (slice: Slice, created: Created) => Promise<Written> {
  const { queries, command } = connection;

  async function undone(error: unknown, slice: Slice): Promise<SliceResult> {
    const refused = refusalOf(error);
    const outdated = isOutdated(error);
    if (!outdated && refused === undefined) throw error;
    await command('ROLLBACK TO slice; RELEASE slice');
    if (!outdated && refused !== undefined) return { refused };
    return (await isTaken(queries, self, slice)) ? 'taken' : 'conflict';
  }

  return async (slice, created) => {
    const withOwn: Created = new Map(created);
    try {
      await command('SAVEPOINT slice');
      const batch = await batches.make(queries, [slice], withOwn);
      await writeBatch(connection, batch);
      await command('RELEASE slice');
      for (const [runId, run] of withOwn) created.set(runId, run);
      return { result: 'committed', stretches: batch.stretches };
    } catch (error) {
      return { result: await undone(error, slice), stretches: [] };
    }
  };
}

/** Whether a slice goes on with a tree that another host keeps. The tree has not moved. */
async function isTaken(queries: Queries, self: Self, { rootId, from, continues }: Slice): Promise<boolean> {
  if (continues !== true || from === undefined) return false;
  return (await queries.row(TAKEN, rootId, from, self.hostNo)) !== undefined;
}

const TAKEN = `
  SELECT 1 FROM runs JOIN hosts ON hosts.host_no = runs.keeper
  WHERE run_id = $1 AND places = $2 AND keeper <> $3`;
