import {
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { BatonError } from '@baton/protocol';

/** Refusals of the host as errors of A2A. The code of the catalogue is in the metadata of the error. */

/**
 * The error of A2A for a refusal. `undefined` for a refusal that is about the caller or the load of the host: it is
 * answered with its HTTP status, as at every other address.
 */
export function a2aError(error: unknown): Error | undefined {
  if (!(error instanceof BatonError)) return undefined;
  const { code, status, message } = error;
  if (status === 401 || status === 403 || status === 429 || status >= 500) return undefined;
  const options = { message, metadata: { code } };
  // The request is right, but the run is not in a state that allows it.
  const isConflict = (status === 409 || status === 410) && code !== 'idempotency_key_mismatch';
  return isConflict ? new UnsupportedOperationError(options) : new RequestMalformedError(options);
}

/** A task of another tenant is treated like a task that does not exist. */
export function noSuchTask(taskId: string): Error {
  return new TaskNotFoundError({ message: `There is no task ${taskId} for this caller.` });
}

export function notCancelable(taskId: string): Error {
  return new TaskNotCancelableError({ message: `The task ${taskId} has already ended.` });
}

export function unsupported(message: string): Error {
  return new UnsupportedOperationError({ message });
}

export function malformed(message: string): Error {
  return new RequestMalformedError({ message });
}
