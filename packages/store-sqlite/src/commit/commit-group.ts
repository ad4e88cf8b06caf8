import { type Slice, type SliceResult, UnfitSliceError } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { writeFailure } from '../database/storage-full.ts';
import { transaction } from '../database/transaction.ts';
import { type SliceWriter, sliceWriter } from './slice-writer.ts';

/**
 * Makes a group of slices durable in one transaction. Slices that cannot be stored are rare, so the group is
 * first written without savepoints. If one of its slices conflicts or is unfit, the group is written again
 * with a savepoint before each slice, so that exactly the slices at fault are left out.
 */
export function groupCommitter(database: Database): (slices: readonly Slice[]) => readonly SliceResult[] {
  const own = transaction(database);
  const writer = sliceWriter(database);
  const writeApart = apartWriter(database, writer);

  /** Commits all slices, or none of them if one cannot be stored. */
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

  /**
   * Commits the slices that can be stored, and returns a result for each slice. After a slice of a tree
   * fails, all later slices of the same tree fail too. A later slice may have been computed from the failed
   * one, and its head may still fit by chance, if another slice with the same number of events took the place
   * of the failed one.
   */
  function commitApart(slices: readonly Slice[]): readonly SliceResult[] {
    const results: SliceResult[] = [];
    const fallen = new Set<string>();
    try {
      own.begin();
      writer.begin();
      for (const slice of slices) {
        const moves = slice.runs.length > 0;
        const result = moves && fallen.has(slice.rootId) ? 'conflict' : writeApart(slice);
        if (moves && result !== 'committed') fallen.add(slice.rootId);
        results.push(result);
      }
    } catch (error) {
      giveUp();
      throw writeFailure(error);
    }
    finish(slices);
    return results;
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

/** Writes one slice within a transaction, or leaves nothing of it. */
function apartWriter(database: Database, writer: SliceWriter): (slice: Slice) => SliceResult {
  const mark = database.prepare('SAVEPOINT slice');
  const keep = database.prepare('RELEASE slice');
  const undo = database.prepare('ROLLBACK TO slice');

  /** Flushes the events, which are usually gathered, so that an error belongs to this slice. */
  function resultOf(slice: Slice): SliceResult {
    try {
      if (!writer.write(slice)) return 'conflict';
      writer.flush();
      return 'committed';
    } catch (error) {
      const refused = refusalOf(error);
      // SQLite itself rolls back a whole transaction only for reasons that are not in the slice.
      if (refused === undefined || !database.inTransaction) throw error;
      return { refused };
    }
  }

  return (slice) => {
    mark.run();
    const result = resultOf(slice);
    if (result !== 'committed') {
      writer.abandoned();
      undo.run();
    }
    keep.run();
    return result;
  };
}

/**
 * SQLite's error codes for wrong values in a statement. All other codes are about the disk, the database or
 * the memory of the process, so they are not caused by the slice.
 */
const ABOUT_VALUES = ['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG'];

/**
 * The native driver throws the same class of error for a value that it cannot bind and for a closed database.
 */
const NOT_USABLE = /database connection is (?:not open|busy)/;

/** The reason why the slice cannot be stored, or undefined if the error was not caused by its content. */
function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) {
    return ABOUT_VALUES.some((start) => code.startsWith(start)) ? `${code}: ${error.message}` : undefined;
  }
  const isOfValue =
    error instanceof UnfitSliceError || error instanceof RangeError || error instanceof TypeError;
  return isOfValue && !NOT_USABLE.test(error.message) ? error.message : undefined;
}
