import type { ErrorCode, RunError } from '@baton/protocol';

/**
 * Codes of errors that do not come from the catalogue of the host.
 * - `host_unreachable`: no connection to the host, or the connection was lost before the answer was complete.
 * - `unexpected_answer`: something answered that is not a Baton host, such as a proxy.
 * - `unknown_error`: the host refused with a code that this version of the client does not know. `details.code` is the
 *   code, and the message is that of the host.
 * - `run_failed`, `run_cancelled`: `result()` waited for a run that did not complete.
 */
export type ClientErrorCode =
  | 'host_unreachable'
  | 'unexpected_answer'
  | 'unknown_error'
  | 'run_failed'
  | 'run_cancelled';

/** Every code that a `BatonError` of the client can have. */
export type BatonErrorCode = ErrorCode | ClientErrorCode;

interface Facts {
  /** The HTTP status of the answer. Absent when there was no answer. */
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean;
  /** The error of the run, for `run_failed`. Its code is one of `RunErrorCode`, or one that a node has chosen. */
  readonly runError?: RunError;
  readonly cause?: unknown;
}

/**
 * The error of every method of the client. The compiler checks the codes of a `switch`.
 *
 * @example
 * ```ts
 * import { BatonError, type Run } from '@baton/client';
 *
 * async function cancelOnce(run: Run): Promise<void> {
 *   try {
 *     await run.cancel();
 *   } catch (error) {
 *     if (!(error instanceof BatonError)) throw error;
 *     switch (error.code) {
 *       case 'run_terminal':
 *         return;
 *       case 'host_unreachable':
 *         throw new Error('Start the host first.', { cause: error });
 *       default:
 *         throw error;
 *     }
 *   }
 * }
 * ```
 */
export class BatonError extends Error {
  readonly code: BatonErrorCode;
  readonly status: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryable: boolean;
  readonly runError: RunError | undefined;

  constructor(code: BatonErrorCode, message: string, facts: Facts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'BatonError';
    this.code = code;
    this.status = facts.status;
    this.details = facts.details;
    this.retryable = facts.retryable ?? false;
    this.runError = facts.runError;
  }
}
