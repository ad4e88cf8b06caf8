import type { Slice } from '@baton/engine/ports';
import type { Lane } from '../database/lane.ts';
import type { Self } from '../self.ts';
import type { BatchMaker, Created } from './batch-maker.ts';
import { changesIn, type Stretch } from './commit-row.ts';
import { fitsOneRow } from './large-commit.ts';
import { batchesOf, forksIn } from './segments.ts';
import { type SliceTransactions, writeBatch } from './slice-transaction.ts';

export interface CommitParts {
  readonly lane: Lane;
  readonly self: Self;
  readonly batches: BatchMaker;
  readonly transactions: SliceTransactions;
}

/** Commits all slices. Rejects, and stores none of them, if one cannot be stored. */
export async function commitWhole(parts: CommitParts, slices: readonly Slice[]): Promise<void> {
  const created: Created = new Map();
  const inTurn = batchesOf(slices);
  if (inTurn.length === 1 && forksIn(slices).length === 0) await commitBatch(parts, slices, created);
  else await commitInTurn(parts, inTurn, created);
  parts.batches.committed(slices, created);
}

async function commitBatch(
  { lane, self, batches, transactions }: CommitParts,
  slices: readonly Slice[],
  created: Created,
): Promise<void> {
  const { queries } = await lane.connected();
  const batch = await batches.make(queries, slices, created);
  const commit = { number: self.nextNumber(), stretches: batch.stretches, changes: changesIn(slices) };
  if (batch.answered.length === 0 && fitsOneRow(batch.stretches))
    return transactions.commitAtOnce(batch, commit);
  return transactions.commitAfter(async (connection) => {
    await writeBatch(connection, batch);
    return commit;
  });
}

/** Forks and imports need the answers of statements before they can be written. */
async function commitInTurn(
  { self, batches, transactions }: CommitParts,
  inTurn: readonly (readonly Slice[])[],
  created: Created,
): Promise<void> {
  await transactions.commitAfter(async (connection) => {
    const stretches: Stretch[] = [];
    for (const slices of inTurn) {
      const batch = await batches.make(connection.queries, slices, created);
      await writeBatch(connection, batch);
      stretches.push(...batch.stretches);
    }
    return { number: self.nextNumber(), stretches, changes: changesIn(inTurn.flat()) };
  });
}
