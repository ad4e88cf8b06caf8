import type { Slice, SliceResult } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';
import { transaction } from '../database/transaction.ts';
import { sliceWriter } from './slice-writer.ts';
import { refusalOf } from './unfit-slice.ts';

/**
 * Makes a group of slices durable in one transaction. Slices that cannot be stored are rare, so the group is first
 * written without guards. Only when one of its slices conflicts or is unfit, the group is written once more, with a
 * savepoint before each slice, so that exactly the slices at fault are left out.
 */
export function groupCommitter(database: Database): (slices: readonly Slice[]) => readonly SliceResult[] {
  const own = transaction(database);
  const writer = sliceWriter(database);
  const mark = database.prepare('SAVEPOINT slice');
  const keep = database.prepare('RELEASE slice');
  const undo = database.prepare('ROLLBACK TO slice');

  /** Commits all slices, or none of them when one cannot be stored. */
  function commitAll(slices: readonly Slice[]): boolean {
    try {
      own.begin();
      writer.begin();
      if (!slices.every((slice) => writer.write(slice))) {
        giveUp();
        return false;
      }
      writer.flush();
    } catch (error) {
      giveUp();
      if (refusalOf(error) !== undefined) return false;
      throw writeFailure(error);
    }
    finish(slices);
    return true;
  }

  /** Commits the slices that can be stored, and answers what became of each. */
  function commitApart(slices: readonly Slice[]): readonly SliceResult[] {
    const results: SliceResult[] = [];
    try {
      own.begin();
      writer.begin();
      for (const slice of slices) results.push(writeApart(slice));
    } catch (error) {
      giveUp();
      throw writeFailure(error);
    }
    finish(slices);
    return results;
  }

  function writeApart(slice: Slice): SliceResult {
    mark.run();
    const result = resultOf(slice);
    if (result !== 'committed') {
      writer.abandoned();
      undo.run();
    }
    keep.run();
    return result;
  }

  /** Events are gathered over slices, so they are written at once here: an error is then about this slice. */
  function resultOf(slice: Slice): SliceResult {
    try {
      if (!writer.write(slice)) return 'conflict';
      writer.flush();
      return 'committed';
    } catch (error) {
      const refused = refusalOf(error);
      // SQLite gives up a whole transaction by itself only for reasons that lie outside of the slice.
      if (refused === undefined || !database.inTransaction) throw error;
      return { refused };
    }
  }

  function finish(slices: readonly Slice[]): void {
    try {
      own.commit();
    } catch (error) {
      giveUp();
      throw writeFailure(error);
    }
    writer.committed(slices);
  }

  function giveUp(): void {
    writer.abandoned();
    own.rollback();
  }

  return (slices) => (commitAll(slices) ? slices.map((): SliceResult => 'committed') : commitApart(slices));
}
