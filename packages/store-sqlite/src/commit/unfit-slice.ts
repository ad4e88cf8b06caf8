import { UnfitSliceError } from '@baton/engine/ports';

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
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  if (code !== undefined) {
    return ABOUT_VALUES.some((start) => code.startsWith(start)) ? `${code}: ${error.message}` : undefined;
  }
  const isOfValue =
    error instanceof UnfitSliceError || error instanceof RangeError || error instanceof TypeError;
  return isOfValue && !NOT_USABLE.test(error.message) ? error.message : undefined;
}
