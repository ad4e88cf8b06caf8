import { StorageFullError } from '@baton/engine/ports';

/**
 * SQLite reports a write to a full disk as FULL. Only for the index of the write-ahead log there is another
 * code. The index grows before the commit, so the transaction can be rolled back safely.
 */
const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/** Whether a statement has changed anything. A full disk is told as such. */
export function written(write: () => { readonly changes: number }): boolean {
  try {
    return write().changes > 0;
  } catch (error) {
    throw writeFailure(error);
  }
}

/**
 * The error to throw for a failed write. All errors except a full disk are unchanged, and stop the process.
 */
export function writeFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && NO_ROOM.has(code) ? new StorageFullError(error) : error;
}
