/** A slice that contradicts itself, so that no store could keep it. */
export class UnfitSliceError extends Error {
  constructor(problem: string) {
    super(`the order of a slice does not fit its events: ${problem}`);
    this.name = 'UnfitSliceError';
  }
}

/**
 * SQLite's complaints about the values of a statement. Every other code speaks of the disk, of the database or of
 * the memory of the process, which no slice is to blame for.
 */
const ABOUT_VALUES = ['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_TOOBIG'];

/** The native driver has the same class of error for a value that it cannot bind and for a closed database. */
const NOT_USABLE = /database connection is (?:not open|busy)/;

/** Why the slice that was being written cannot be stored; nothing when the error is not about its content. */
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
