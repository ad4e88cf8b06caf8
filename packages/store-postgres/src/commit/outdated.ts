/** A slice was computed from rows that have changed since. */
export class OutdatedSliceError extends Error {
  constructor() {
    super('the slice was computed from outdated rows');
    this.name = 'OutdatedSliceError';
  }
}

/** SQLSTATE of a division by zero, which shows outdated slices (see statement.ts). */
export const OUTDATED = '22012';
