import { UnfitSliceError } from '@baton/engine/ports';
import { codeOf } from '../database/faults.ts';

/** A slice was computed from rows that have changed since. */
export class OutdatedSliceError extends Error {
  constructor() {
    super('the slice was computed from outdated rows');
    this.name = 'OutdatedSliceError';
  }
}

/** SQLSTATE of a division by zero, which shows outdated slices (see statement.ts). */
const OUTDATED = '22012';

/**
 * Values that do not fit their columns (class 22), violated constraints (23), and values that are too large for
 * an index (54000). All other codes are about the server, so they are not caused by the slice.
 */
const ABOUT_VALUES = /^(22|23)...$|^54000$/;

/** The store could keep the slice if it was computed again. */
export function isOutdated(error: unknown): boolean {
  return error instanceof OutdatedSliceError || codeOf(error) === OUTDATED;
}

/** The reason why the slice cannot be stored, or undefined if the error was not caused by its content. */
export function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = codeOf(error);
  if (code !== undefined) return ABOUT_VALUES.test(code) ? `${code}: ${error.message}` : undefined;
  const isOfValue =
    error instanceof UnfitSliceError || error instanceof RangeError || error instanceof TypeError;
  return isOfValue ? error.message : undefined;
}
