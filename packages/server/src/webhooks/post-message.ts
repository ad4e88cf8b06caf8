import { type Fetch, fetchFailure } from '@baton/agents';
import { VERSION } from '../version.ts';
import type { Failure } from './after-failure.ts';
import { type Message, signatureHeaders } from './signatures.ts';
import { type SigningKeys, validKeys } from './signing-keys.ts';

const PATIENCE_MS = 10_000;

export interface Posting {
  readonly fetch: Fetch;
  readonly now: () => number;
  /** Calls back after this time, unless the returned function is called before. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Ends all requests, when the host stops. */
  readonly stopping: AbortSignal;
}

export async function postMessage(
  posting: Posting,
  url: string,
  message: Message,
  keys: SigningKeys | undefined,
): Promise<Failure | undefined> {
  if (keys === undefined) return { error: 'the host cannot open the keys of the webhook; rotate them' };
  const now = posting.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': `openwop-webhook-dispatcher/${VERSION}`,
    ...(message.traceparent !== undefined && { traceparent: message.traceparent }),
    ...signatureHeaders(message, validKeys(keys, now), now),
  };
  return postOnce(posting, url, { headers, body: message.body });
}

interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a body once. Only an answer with a status of 2xx counts as delivered; a redirect does not. */
export async function postOnce(
  { fetch, now, after, stopping }: Posting,
  url: string,
  { headers, body }: Post,
): Promise<Failure | undefined> {
  const patience = new AbortController();
  const cancel = after(PATIENCE_MS, () => patience.abort());
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.any([patience.signal, stopping]),
    });
    // The answer is not read: its status says everything.
    await response.body?.cancel();
    return failureIn(response, now());
  } catch (error) {
    return { error: patience.signal.aborted ? SLOW : reasonOf(error) };
  } finally {
    cancel();
  }
}

const SLOW = `the receiver did not answer within ${PATIENCE_MS / 1000} seconds`;

function failureIn({ ok, status, headers }: Response, now: number): Failure | undefined {
  if (ok) return undefined;
  const retryAfterMs = retryAfter(headers.get('retry-after'), now);
  return {
    error: `the receiver answered with status ${status}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(status === 410 && { gone: true }),
  };
}

/** A number of seconds, or a date. */
function retryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function reasonOf(error: unknown): string {
  switch (fetchFailure(error)) {
    case 'refused':
      return 'the address leads to a private network, or the receiver redirects';
    case 'timed-out':
      return SLOW;
    case 'unsent':
      return 'no connection could be made';
    case 'too-large':
    case 'lost':
      return 'the connection was lost';
  }
}
