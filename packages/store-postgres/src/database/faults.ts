import { StorageFullError, StoreUnavailableError } from '@baton/engine/ports';

/** The code of an error of Postgres (SQLSTATE) or of the system (`ECONNREFUSED`). */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Postgres has undone the transaction for a reason that may be gone the next time. */
const REPEATABLE = new Set(['40001', '40P01', '55P03']);

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(codeOf(error) ?? '');
}

/** No room on the disk, or not enough memory. */
const NO_ROOM = new Set(['53100', '53200']);

/** Connections that were refused, lost or ended by an operator, and a server that starts, stops or is a replica. */
const UNAVAILABLE =
  /^(08...|57P0[1-5]|53300|25006|25P0[34]|57014|EC[A-Z]+|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** The driver has no codes for these. */
const LOST =
  /Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool after calling end/;

export function isUnavailable(error: unknown): boolean {
  if (error instanceof StoreUnavailableError) return true;
  const code = codeOf(error);
  if (code !== undefined && UNAVAILABLE.test(code)) return true;
  return error instanceof Error && LOST.test(error.message);
}

/** The error to throw for a failed statement. */
export function storeFailure(error: unknown): unknown {
  if (NO_ROOM.has(codeOf(error) ?? '')) return new StorageFullError(error);
  if (isUnavailable(error) && !(error instanceof StoreUnavailableError))
    return new StoreUnavailableError(error);
  return error;
}

/** The error to throw for work that was repeated in vain. What Postgres has undone so often may be stored later. */
export function failureAfterTries(error: unknown): unknown {
  return isRepeatable(error) ? new StoreUnavailableError(error) : storeFailure(error);
}
