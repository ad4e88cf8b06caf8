import type { Idempotent } from '@baton/protocol';
import { ERRORS, type ErrorCode } from '@baton/protocol/errors';
import { BatonError, type BatonErrorCode } from '../errors.ts';

/** What went wrong with a request, and whether it may be sent again. */

export function unreachable(base: string, cause: unknown): BatonError {
  const message = `No host answers at ${base}; start one with "baton serve", or check the address.`;
  return new BatonError('host_unreachable', message, { retryable: true, cause });
}

/** Something has accepted the connection and says nothing. */
export function silent(base: string, milliseconds: number): BatonError {
  const message = `${base} did not answer within ${milliseconds / 1000} seconds; check that it is a Baton host and not overloaded.`;
  return new BatonError('host_unreachable', message, { retryable: true });
}

/** The connection ended before the answer was complete. */
export function cutOff(base: string, cause: unknown): BatonError {
  const message = `The connection to ${base} was lost; check that the host is running and can be reached.`;
  return new BatonError('host_unreachable', message, { retryable: true, cause });
}

export function unexpected(base: string, status: number, text: string): BatonError {
  const message = `The answer from ${base} with the status ${status} is not that of a Baton host; check the address, and proxies on the way.`;
  return new BatonError('unexpected_answer', message, {
    status,
    retryable: isPassing(status),
    details: { text: text.slice(0, 500) },
  });
}

/** The error that an answer of the host stands for. */
export function refusal(base: string, status: number, text: string): BatonError {
  const { error: code, message, details: given } = objectIn(text);
  if (typeof code !== 'string' || typeof message !== 'string') return unexpected(base, status, text);
  const details = isRecord(given) ? given : undefined;
  if (isErrorCode(code))
    return new BatonError(code, message, { status, retryable: ERRORS[code][1], details });
  return new BatonError('unknown_error', message, {
    status,
    retryable: isPassing(status),
    details: { ...details, code },
  });
}

/** Statuses that say that the same request may succeed later, whatever the body says. */
function isPassing(status: number): boolean {
  return status === 429 || status === 502 || status === 503 || status === 504;
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Errors that pass, but not within the seconds for which a client repeats a request. */
const NOT_SOON: readonly BatonErrorCode[] = ['storage_full', 'webhook_key_conflict'];

/** The host refuses with these codes before it has begun with the work. */
const BEFORE_THE_WORK: readonly BatonErrorCode[] = [
  'rate_limited',
  'too_many_reads',
  'too_many_open',
  'overloaded',
  'shutting_down',
];

/** Whether the same request may be sent again after this error. */
export function mayRepeat(repeat: Idempotent, { retryable, code }: BatonError): boolean {
  if (!retryable || NOT_SOON.includes(code)) return false;
  return repeat !== 'never' || BEFORE_THE_WORK.includes(code);
}

/** The wait that the header `Retry-After` asks for, in milliseconds. */
export function askedWait(headers: Pick<Headers, 'get'>, now = Date.now()): number {
  const asked = headers.get('retry-after') ?? '';
  // Seconds, or a date.
  const milliseconds = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now;
  return milliseconds > 0 ? milliseconds : 0;
}
