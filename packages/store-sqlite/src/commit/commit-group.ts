import type { Slice, SliceResult } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';
import { transaction } from '../database/transaction.ts';
import { sliceWriter } from './slice-writer.ts';

/**
 * Makes a group of slices durable in one transaction. Conflicts are rare, so instead of guarding every
 * slice with a savepoint, the whole group is written again without the one that conflicts.
 */
export function groupCommitter(database: Database): (slices: readonly Slice[]) => readonly SliceResult[] {
  const own = transaction(database);
  const writer = sliceWriter(database);

  /** Commits the chosen slices, or none of them and answers with the index of one that conflicts. */
  function attempt(slices: readonly Slice[], chosen: readonly number[]): number | undefined {
    try {
      own.begin();
      writer.begin();
      for (const index of chosen) {
        const slice = slices[index];
        if (slice === undefined || writer.write(slice)) continue;
        giveUp();
        return index;
      }
      writer.flush();
      own.commit();
    } catch (error) {
      giveUp();
      throw writeFailure(error);
    }
    writer.committed(slices);
    return undefined;
  }

  function giveUp(): void {
    writer.abandoned();
    own.rollback();
  }

  return (slices) => {
    const results = slices.map((): SliceResult => 'committed');
    let rest = slices.map((_, index) => index);
    while (rest.length > 0) {
      const refused = attempt(slices, rest);
      if (refused === undefined) break;
      results[refused] = 'conflict';
      rest = rest.filter((index) => index !== refused);
    }
    return results;
  };
}
