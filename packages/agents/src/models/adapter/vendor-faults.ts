import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { type Asked, codeOfStatus, type Fault, fault } from '../faults.ts';

/**
 * Classifies the faults of providers. The errors of the provider packages hold the request, the answer and
 * messages of the vendor, in which keys have been seen, so nothing of them is passed on except the status.
 */

/** Errors with which the packages refuse a request before they send it. */
const UNSENDABLE = [
  UnsupportedFunctionalityError,
  InvalidArgumentError,
  InvalidPromptError,
  NoSuchModelError,
];

const REDIRECTS =
  'The provider answers with a redirect, which is not followed, because the request holds a key. Set baseURL of the provider to the address to which it redirects.';

/** An exception of a provider package. */
export function thrownFault(thrown: unknown, asked: Asked, now: () => number): Fault {
  if (UNSENDABLE.some((kind) => kind.isInstance(thrown))) return fault('provider_rejected', asked);
  if (!APICallError.isInstance(thrown)) return fault('provider_error', asked);
  const { statusCode: status, responseHeaders = {} } = thrown;
  // No status: the connection was not made. A good status: it was lost while the answer was read.
  if (status === undefined) return fault('provider_error', asked);
  if (status >= 300 && status < 400) return fault('provider_rejected', asked, { status, message: REDIRECTS });
  if (status < 400) return fault('provider_interrupted', asked);
  const retryAfterMs = waitAskedFor(responseHeaders, now);
  return fault(codeOfStatus(status), asked, { status, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** An error frame inside of a stream. Vendors name the reason in `type` or `code`. */
export function frameFault(frame: unknown, asked: Asked, now: () => number): Fault {
  if (APICallError.isInstance(frame)) return thrownFault(frame, asked, now);
  const names = reasonsIn(frame);
  const has = (...words: string[]) => words.some((word) => names.includes(word));
  if (has('rate_limit', 'overloaded', 'quota', '429', '503', '529')) return fault('provider_busy', asked);
  if (has('authentication', 'permission', '401', '403')) return fault('provider_unauthorized', asked);
  if (has('invalid_request', 'not_found', 'too_large', 'context_length')) {
    return fault('provider_rejected', asked);
  }
  // A package reports the end of a stream without a last frame as an error of the data.
  const isCut = InvalidResponseDataError.isInstance(frame);
  return fault(isCut ? 'provider_interrupted' : 'provider_error', asked);
}

function reasonsIn(frame: unknown): string {
  if (typeof frame !== 'object' || frame === null) return '';
  const { type, code, error } = frame as Readonly<Record<string, unknown>>;
  const own = [type, code].filter((value) => typeof value === 'string' || typeof value === 'number');
  return [...own, error === undefined ? '' : reasonsIn(error)].join(' ').toLowerCase();
}

/** A vendor may ask for any wait. A run is not parked for longer. */
const LONGEST_WAIT_MS = 3_600_000;

/** `retry-after-ms`, or `retry-after` in seconds or as a date. */
function waitAskedFor(headers: Readonly<Record<string, string>>, now: () => number): number | undefined {
  const inMs = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(inMs)) return bounded(inMs);
  const text = headers['retry-after'];
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return bounded(seconds * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : bounded(date - now());
}

function bounded(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), LONGEST_WAIT_MS);
}
