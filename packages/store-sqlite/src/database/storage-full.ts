import { StorageFullError } from '@baton/engine/ports';

/**
 * SQLite reports a write that found no room as FULL. Only the index of the write-ahead log has a code of
 * its own; it too is grown before anything is committed, so the transaction can be given up safely.
 */
const NO_ROOM = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);

/** The error to throw for a failed write. Anything but a full disk is passed on, for the process to stop at. */
export function writeFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && NO_ROOM.has(code) ? new StorageFullError(error) : error;
}
