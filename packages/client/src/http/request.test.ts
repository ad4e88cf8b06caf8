import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTimers } from '../../../../tests/client/open-timers.ts';
import type { Baton } from '../connect.ts';
import { connect } from '../connect.ts';
import { BatonError } from '../errors.ts';
import { DEFAULT_PATIENCE, delayBefore, wait } from './backoff.ts';

let timersOpen: () => number;
beforeEach(() => {
  vi.useFakeTimers();
  timersOpen = openTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

type Reply = Response | Error;

const refusal = (status: number, error: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error, message: `The host says ${error}.` }, { status, headers });
const inbox = () => Response.json({ interrupts: [] });

/** A host that gives these answers, one after the other. */
function answering(...replies: readonly Reply[]): { readonly baton: Baton; readonly sent: string[] } {
  const sent: string[] = [];
  const left = [...replies];
  const baton = connect({
    url: 'http://host.example/',
    key: 'a-key',
    async fetch(url, { method }) {
      sent.push(`${method} ${new URL(url).pathname}`);
      const reply = left.shift() ?? new Error('there is no further answer');
      if (reply instanceof Error) throw reply;
      return reply;
    },
  });
  return { baton, sent };
}

/** The outcome of the work, while time passes as fast as the timers want. */
async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  const outcome = work.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return outcome;
}

describe('a read', () => {
  it.each<[string, Reply]>([
    ['no connection', new TypeError('fetch failed')],
    ['an overloaded host', refusal(503, 'overloaded', { 'retry-after': '1' })],
    ['a limit of requests', refusal(429, 'rate_limited', { 'retry-after': '20' })],
    ['a defect', refusal(500, 'internal_error')],
    ['a proxy without a host', new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['an answer that breaks off', new Response(broken(), { status: 200 })],
  ])('is sent again after %s', async (_, reply) => {
    const { baton, sent } = answering(reply, inbox());
    expect(await outcomeOf(baton.inbox())).toEqual([]);
    expect(sent).toEqual(['GET /v1/interrupts', 'GET /v1/interrupts']);
  });

  it.each<[string, Reply, Partial<BatonError>]>([
    ['a refusal', refusal(403, 'forbidden'), { code: 'forbidden', status: 403, retryable: false }],
    ['a full disk', refusal(507, 'storage_full'), { code: 'storage_full', retryable: true }],
    ['a long wait', refusal(429, 'rate_limited', { 'retry-after': '31' }), { code: 'rate_limited' }],
    [
      'a code without a message',
      Response.json({ error: 'x' }, { status: 409 }),
      { code: 'unexpected_answer' },
    ],
    ['something else', new Response('hello', { status: 200 }), { code: 'unexpected_answer' }],
  ])('is not sent again after %s', async (_, reply, error) => {
    const { baton, sent } = answering(reply, inbox());
    const outcome = await outcomeOf(baton.inbox());
    expect(outcome).toBeInstanceOf(BatonError);
    expect(outcome).toMatchObject(error);
    expect(sent).toHaveLength(1);
  });

  it('CONF-18 tolerates a code of a later host', async () => {
    const refused = answering(refusal(409, 'new_code'));
    expect(await outcomeOf(refused.baton.inbox())).toMatchObject({
      code: 'unknown_error',
      message: 'The host says new_code.',
      status: 409,
      details: { code: 'new_code' },
      retryable: false,
    });
    const busy = answering(refusal(503, 'newly_busy'), inbox());
    expect(await outcomeOf(busy.baton.inbox())).toEqual([]);
  });

  it('is not sent again more often than the patience allows', async () => {
    const { baton, sent } = answering();
    expect(await outcomeOf(baton.inbox())).toMatchObject({ code: 'host_unreachable' });
    expect(sent).toHaveLength(DEFAULT_PATIENCE.tries);
  });

  it('ends with the reason of its signal, also while it waits', async () => {
    const { baton, sent } = answering(refusal(503, 'overloaded', { 'retry-after': '9' }));
    const leaving = new AbortController();
    const reading = baton.inbox({ signal: leaving.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1000);
    leaving.abort('I leave');
    expect(await reading).toBe('I leave');
    expect(sent).toHaveLength(1);
    expect(timersOpen()).toBe(0);
  });
});

describe('a request that makes something each time', () => {
  it.each<[string, number, string]>([
    ['has begun', 500, 'internal_error'],
    ['may have been carried out', 503, 'engine_restarted'],
  ])('is not sent again when the work %s', async (_, status, code) => {
    const { baton, sent } = answering(refusal(status, code));
    expect(await outcomeOf(baton.host.rotateSecrets())).toMatchObject({ code });
    expect(sent).toHaveLength(1);
  });

  it('is sent again when the host refused it before the work', async () => {
    const { baton, sent } = answering(refusal(503, 'shutting_down'), Response.json({ keyId: 'k' }));
    expect(await outcomeOf(baton.host.rotateSecrets())).toEqual({ keyId: 'k' });
    expect(sent).toHaveLength(2);
  });
});

describe('the wait before a repetition', () => {
  it('is doubled up to the longest, and random by a half', () => {
    const waits = [1, 2, 3, 9].map((repetition) =>
      [0, 1].map((chance) => delayBefore(repetition, DEFAULT_PATIENCE, 0, () => chance)),
    );
    expect(waits).toEqual([
      [100, 200],
      [200, 400],
      [400, 800],
      [2500, 5000],
    ]);
  });

  it('is at least what the host asks for, up to 30 seconds', () => {
    expect(delayBefore(1, DEFAULT_PATIENCE, 7000)).toBe(7000);
    expect(delayBefore(1, DEFAULT_PATIENCE, 30_001)).toBeUndefined();
  });

  it('does not begin when the signal is aborted already', async () => {
    await expect(wait(1, AbortSignal.abort('I have left'))).rejects.toBe('I have left');
    expect(timersOpen()).toBe(0);
  });
});

function broken(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
}
