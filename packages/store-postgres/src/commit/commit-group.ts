import type { Slice, SliceResult } from '@baton/engine/ports';
import { failureAfterTries, isRepeatable } from '../database/faults.ts';
import { laneTo } from '../database/lane.ts';
import type { Self } from '../self.ts';
import { batchMaker } from './batch-maker.ts';
import { commitApart } from './commit-apart.ts';
import { type CommitParts, commitWhole } from './commit-whole.ts';
import { transactionsOf } from './segments.ts';
import { sliceTransactions } from './slice-transaction.ts';
import { isOutdated, refusalOf } from './unfit-slice.ts';

interface GroupCommitter {
  commit(slices: readonly Slice[]): Promise<readonly SliceResult[]>;
  close(): Promise<void>;
}

/** A group is written this many times before its error counts, if Postgres asks for it. */
const TRIES = 20;

/** Makes groups of slices durable, one after the other. */
export function groupCommitter(url: string, self: Self): GroupCommitter {
  const lane = laneTo(url);
  const closing = new AbortController();
  const transactions = sliceTransactions(lane, self, closing.signal);
  const parts: CommitParts = { lane, self, batches: batchMaker(self), transactions };
  let last: Promise<unknown> = Promise.resolve();

  return {
    commit(slices) {
      const results = last.then(() => commitGroup(parts, slices));
      last = results.catch(() => undefined);
      return results;
    },
    async close() {
      closing.abort();
      await last;
      await lane.close();
    },
  };
}

/**
 * A group that has too many events for one transaction is committed in parts. If a later part fails, the slices that are
 * left must be computed again: the commit may not reject after it has stored something.
 */
async function commitGroup(parts: CommitParts, slices: readonly Slice[]): Promise<readonly SliceResult[]> {
  const results: SliceResult[] = [];
  const fallen = new Set<string>();
  for (const some of transactionsOf(slices)) {
    const left = some.filter((slice) => !(slice.runs.length > 0 && fallen.has(slice.rootId)));
    try {
      const answers = left.length === 0 ? [] : [...(await commitRepeatedly(parts, left))];
      for (const slice of some) {
        const result = left.includes(slice) ? (answers.shift() ?? 'conflict') : 'conflict';
        if (result !== 'committed' && slice.runs.length > 0) fallen.add(slice.rootId);
        results.push(result);
      }
    } catch (error) {
      if (!results.includes('committed')) throw failureAfterTries(error);
      return slices.map((_, at) => results[at] ?? 'conflict');
    }
  }
  return results;
}

async function commitRepeatedly(
  parts: CommitParts,
  slices: readonly Slice[],
): Promise<readonly SliceResult[]> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await commitOnce(parts, slices);
    } catch (error) {
      if (tries === TRIES || !isRepeatable(error)) throw error;
    }
  }
}

/**
 * Slices that cannot be stored are rare, so the slices are first written as a whole, in a single write if possible. If
 * one of them conflicts or is unfit, they are written again with a savepoint before each slice, so that exactly the
 * slices at fault are left out.
 */
async function commitOnce(parts: CommitParts, slices: readonly Slice[]): Promise<readonly SliceResult[]> {
  try {
    await commitWhole(parts, slices);
    return slices.map(() => 'committed');
  } catch (error) {
    if (!isOutdated(error) && refusalOf(error) === undefined) throw error;
    return commitApart(parts, slices);
  }
}
