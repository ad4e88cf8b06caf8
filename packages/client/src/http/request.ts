import type { BatonError } from '../errors.ts';
import { addressOf, type QueryValue } from './address.ts';
import { delayBefore, wait } from './backoff.ts';
import type { CommandOptions, Connection, FetchAnswer, FetchRequest } from './connection.ts';
import type { Answer } from './contract-types.ts';
import { askedWait, cutOff, mayRepeat, refusal, silent, unexpected, unreachable } from './failures.ts';
import { type CalledOperation, isAnswerOf, ROUTES } from './routes.ts';

/** Sends the requests of the client, and repeats them where that is safe. */

export interface RequestParts extends CommandOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The answer as JSON. An answer without a body is `undefined`. */
export async function ask<O extends CalledOperation>(
  connection: Connection,
  operation: O,
  parts: RequestParts = {},
): Promise<Answer<O>> {
  const { status, text } = await send(connection, operation, parts);
  if (text === '' && status === 204) return undefined as Answer<O>;
  const answer = parsed(text);
  if (!isAnswerOf(operation, answer)) throw unexpected(connection.base, status, text);
  return answer as Answer<O>;
}

/** `undefined` for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Received {
  readonly status: number;
  readonly text: string;
}

/**
 * The answer as text. The same Idempotency-Key is sent with each repetition, so that a command whose answer was lost
 * is carried out once. A status in `alsoFine` is an answer, and no error.
 */
export async function send(
  connection: Connection,
  operation: CalledOperation,
  parts: RequestParts = {},
  alsoFine: readonly number[] = [],
): Promise<Received> {
  const [, , repeat] = ROUTES[operation];
  const { signal } = parts;
  const request = requestTo(connection, operation, parts);
  for (let tries = 1; ; tries += 1) {
    const outcome = await sendOnce(connection, request, signal, alsoFine);
    if (outcome.ok) return outcome.received;
    const { error, askedMs } = outcome;
    const again = tries < connection.patience.tries && mayRepeat(repeat, error);
    const delay = again ? delayBefore(tries, connection.patience, askedMs) : undefined;
    if (delay === undefined) throw error;
    await wait(delay, signal);
  }
}

/** An answer whose body is read by the caller. It is sent once. */
export async function open(
  connection: Connection,
  operation: CalledOperation,
  parts: RequestParts,
): Promise<FetchAnswer> {
  const { url, init } = requestTo(connection, operation, parts);
  const { signal } = parts;
  const response = await connection.fetch(url, { ...init, signal }).catch((cause: unknown) => {
    throw signal?.aborted ? signal.reason : unreachable(connection.base, cause);
  });
  if (response.ok) return response;
  const text = await response.text().catch(() => '');
  throw refusal(connection.base, response.status, text);
}

interface Prepared {
  readonly url: string;
  readonly init: FetchRequest;
  /** The work may take longer than the client waits for other answers. */
  readonly isLong: boolean;
}

/** These read or write whole logs before they answer. */
const LONG: ReadonlySet<CalledOperation> = new Set([
  'verifyAudit',
  'exportRun',
  'rotateSecrets',
  'eraseRun',
  'diffRuns',
]);

function requestTo(connection: Connection, operation: CalledOperation, parts: RequestParts): Prepared {
  const [method, path, repeat] = ROUTES[operation];
  const { params, query, body, idempotencyKey } = parts;
  const given = Object.entries(parts.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const headers = {
    accept: 'application/json',
    ...(connection.key !== undefined && { authorization: `Bearer ${connection.key}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(repeat === 'with-key' && { 'idempotency-key': idempotencyKey ?? newKey() }),
    ...Object.fromEntries(given),
  };
  return {
    url: addressOf(connection.base, path, params, query),
    init: { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
    isLong: LONG.has(operation) || parts.headers?.prefer !== undefined,
  };
}

type Outcome =
  | { readonly ok: true; readonly received: Received }
  | { readonly ok: false; readonly error: BatonError; readonly askedMs: number };

async function sendOnce(
  { base, fetch, patience }: Connection,
  { url, init, isLong }: Prepared,
  signal: AbortSignal | undefined,
  alsoFine: readonly number[],
): Promise<Outcome> {
  const limit = withinTime(isLong ? undefined : patience.answerMs, signal);
  let response: FetchAnswer;
  try {
    response = await fetch(url, { ...init, signal: limit.signal });
  } catch (cause) {
    limit.end();
    if (signal?.aborted) throw signal.reason;
    const error = limit.isOver() ? silent(base, patience.answerMs) : unreachable(base, cause);
    return { ok: false, error, askedMs: 0 };
  }
  const { status, headers } = response;
  try {
    const text = await response.text();
    if (response.ok || alsoFine.includes(status)) return { ok: true, received: { status, text } };
    return { ok: false, error: refusal(base, status, text), askedMs: askedWait(headers) };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const error = limit.isOver() ? silent(base, patience.answerMs) : cutOff(base, cause);
    return { ok: false, error, askedMs: 0 };
  } finally {
    limit.end();
  }
}

/** 128 random bits. `crypto.randomUUID` does not exist in pages that were loaded without TLS. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A signal that is aborted with the signal of the caller, or when the time is over. */
interface WithinTime {
  readonly signal: AbortSignal | undefined;
  /** Whether the time was over before `end` was called. */
  isOver(): boolean;
  /** Ends the timer, and leaves the signal of the caller. */
  end(): void;
}

function withinTime(milliseconds: number | undefined, signal: AbortSignal | undefined): WithinTime {
  if (milliseconds === undefined) return { signal, isOver: () => false, end: () => undefined };
  const controller = new AbortController();
  let over = false;
  const leave = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    over = true;
    controller.abort();
  }, milliseconds);
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    },
  };
}
