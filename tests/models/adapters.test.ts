import type { ModelAnswer } from '@baton/engine/ports';
import { afterAll, describe, expect, it } from 'vitest';
import {
  ADAPTER_NAMES,
  ADAPTERS,
  type AdapterName,
  ask,
  CANARY,
  configOf,
  connected,
  type Provider,
  providerAt,
  requestTo,
  type Told,
} from './asking.ts';
import { handTimers } from './hand-timers.ts';
import type { Scenario } from './wire/scenario.ts';
import { frameCount, startWireServer, type WireServer } from './wire-server.ts';

/** Each adapter over the real package of its vendor, against a server that has every fault. */
const server: WireServer = await startWireServer();
afterAll(() => server.close());

const never = { opensAfter: 1_000_000 };

function at(adapter: AdapterName, scenario: Scenario, more: Partial<Provider> = {}) {
  const provider = providerAt(adapter, server.baseURL(scenario), more);
  return connected(configOf({ p: provider }), never);
}

function told(adapter: AdapterName, scenario: Scenario): Promise<Told> {
  return ask(at(adapter, scenario), requestTo('p', ADAPTERS[adapter].model));
}

const usage = { inputTokens: 40, outputTokens: 12 };
const fails = (code: string, retryable: boolean, more: object = {}) => ({
  kind: 'error',
  error: { code, message: expect.any(String), details: expect.objectContaining({ provider: 'p' }) },
  retryable,
  ...more,
});
const text = (said: string, more: object = {}) => ({
  kind: 'text',
  text: said,
  stopReason: 'end',
  usage,
  ...more,
});

interface Row {
  readonly name: string;
  readonly scenario: Scenario;
  readonly expected: (adapter: AdapterName) => object;
  readonly not?: readonly AdapterName[];
}

const HELLO = { text: 'Hello, world.' } as const;
const CALL = { id: 'call_7', name: 'look', input: '{"at":"sky"}' } as const;

const IN_WORDS = { text: 'I will not.' };
const REFUSALS = {
  chat: IN_WORDS,
  responses: IN_WORDS,
  compatible: IN_WORDS,
  anthropic: { category: 'refusal' },
  google: { category: 'SAFETY' },
};

const ROWS: readonly Row[] = [
  { name: 'a text', scenario: HELLO, expected: () => text('Hello, world.') },
  {
    name: 'another model than was asked for',
    scenario: { ...HELLO, model: 'model-of-today' },
    // Google's package does not pass the name on.
    not: ['google'],
    expected: () => text('Hello, world.', { model: 'model-of-today' }),
  },
  {
    name: 'no count of tokens',
    scenario: { ...HELLO, usage: false },
    not: ['anthropic'],
    expected: () => ({ kind: 'text', text: 'Hello, world.', stopReason: 'end' }),
  },
  {
    name: 'tokens of the cache and of reasoning',
    scenario: { ...HELLO, usage: { input: 40, output: 12, cacheRead: 30, reasoning: 5 } },
    not: ['anthropic'],
    expected: () => text('Hello, world.', { usage: { ...usage, cacheReadTokens: 30, reasoningTokens: 5 } }),
  },
  {
    name: 'tokens read from and written to the cache',
    scenario: { ...HELLO, usage: { input: 40, output: 12, cacheRead: 30, cacheWrite: 4 } },
    not: ['chat', 'responses', 'google', 'compatible'],
    expected: () => text('Hello, world.', { usage: { ...usage, cacheReadTokens: 30, cacheWriteTokens: 4 } }),
  },
  {
    name: 'a call of a tool beside a text',
    scenario: { text: 'I look.', calls: [CALL] },
    expected: (adapter) =>
      text('I look.', {
        parts: [
          expect.objectContaining({ type: 'text', text: 'I look.' }),
          expect.objectContaining({
            type: 'tool-call',
            id: adapter === 'google' ? expect.any(String) : 'call_7',
            name: 'look',
            input: { at: 'sky' },
          }),
        ],
      }),
  },
  {
    name: 'two calls of tools with one id',
    scenario: { calls: [CALL, { ...CALL, input: '' }] },
    not: ['google'],
    expected: (adapter) =>
      text('', {
        parts: [
          expect.objectContaining({ id: 'call_7', input: { at: 'sky' } }),
          // Some packages make up another id by themselves.
          expect.objectContaining({
            id: adapter === 'anthropic' ? 'call_7-2' : expect.not.stringMatching(/^call_7$/),
            input: {},
          }),
        ],
      }),
  },
  {
    name: 'arguments that are not JSON',
    scenario: { calls: [{ ...CALL, input: '{"at": sk' }] },
    not: ['google'],
    expected: () => text('', { parts: [expect.not.objectContaining({ input: expect.anything() })] }),
  },
  {
    name: 'a truncated answer',
    scenario: { ...HELLO, stop: 'length' },
    expected: (adapter) =>
      text('Hello, world.', {
        stopReason: adapter === 'chat' || adapter === 'compatible' ? 'length' : 'max_tokens',
        ...(adapter === 'responses' && { parts: expect.any(Array) }),
      }),
  },
  {
    name: 'a refusal',
    scenario: { refusal: 'I will not.' },
    expected: (adapter) => ({
      kind: 'refusal',
      usage,
      ...REFUSALS[adapter],
    }),
  },
  {
    name: 'a turn that is not over',
    scenario: { ...HELLO, stop: 'pause' },
    not: ['chat', 'responses', 'google', 'compatible'],
    expected: () => fails('provider_interrupted', true, { usage }),
  },
  {
    name: 'too many requests',
    scenario: { status: 429, headers: { 'retry-after': '7' } },
    expected: () => fails('provider_busy', true, { retryAfterMs: 7000 }),
  },
  {
    name: 'too many requests, with milliseconds',
    scenario: { status: 429, headers: { 'retry-after-ms': '250', 'retry-after': '7' } },
    expected: () => fails('provider_busy', true, { retryAfterMs: 250 }),
  },
  {
    name: 'too many requests for a day',
    scenario: { status: 429, headers: { 'retry-after': '100000' } },
    expected: () => fails('provider_busy', true, { retryAfterMs: 3_600_000 }),
  },
  {
    name: 'too many requests, with a date',
    scenario: { status: 429, headers: { 'retry-after': new Date(1_005_000).toUTCString() } },
    expected: () => fails('provider_busy', true, { retryAfterMs: 5000 }),
  },
  { name: 'an overload', scenario: { status: 529 }, expected: () => fails('provider_busy', true) },
  {
    name: 'an error of the server',
    scenario: { status: 500 },
    expected: () => fails('provider_error', true),
  },
  { name: 'a bad gateway', scenario: { status: 502 }, expected: () => fails('provider_error', true) },
  { name: 'a wrong key', scenario: { status: 401 }, expected: () => fails('provider_unauthorized', false) },
  {
    name: 'a key without rights',
    scenario: { status: 403 },
    expected: () => fails('provider_unauthorized', false),
  },
  { name: 'a wrong request', scenario: { status: 400 }, expected: () => fails('provider_rejected', false) },
  { name: 'an unknown model', scenario: { status: 404 }, expected: () => fails('provider_rejected', false) },
  { name: 'a reset connection', scenario: { reset: true }, expected: () => fails('provider_error', true) },
  {
    name: 'an error frame before the answer',
    scenario: { ...HELLO, errorAfter: { frames: 0, type: 'overloaded_error' } },
    expected: () => expect.objectContaining({ kind: 'error', retryable: true }),
  },
  {
    name: 'an error frame within the answer, before a regular end',
    scenario: { ...HELLO, errorAfter: { frames: 3, type: 'server_error' } },
    not: ['google'],
    expected: () => expect.objectContaining({ kind: 'error', retryable: true }),
  },
  {
    name: 'an error frame within the answer of Google',
    scenario: { ...HELLO, errorAfter: { frames: 1, type: 'UNAVAILABLE' } },
    not: ['chat', 'responses', 'anthropic', 'compatible'],
    expected: () => expect.objectContaining({ kind: 'error', retryable: true }),
  },
  {
    name: 'a frame that is not JSON',
    scenario: { ...HELLO, garbageAfter: 1 },
    expected: () => expect.objectContaining({ kind: 'error', retryable: true }),
  },
];

describe.each(ADAPTER_NAMES)('the adapter for %s', (adapter) => {
  const rows = ROWS.filter(({ not = [] }) => !not.includes(adapter));

  it.each(rows)('reads $name', async ({ scenario, expected }) => {
    const heard = await told(adapter, scenario);
    const { parts, ...rest } = heard.answer as Extract<ModelAnswer, { kind: 'text' }>;
    const wanted = expected(adapter);
    // Parts that say no more than the text are compared only where the row names them.
    expect('parts' in wanted || parts === undefined ? heard.answer : rest).toEqual(wanted);
    expect(JSON.stringify(heard)).not.toContain(CANARY);
  });

  it('tells the text while it comes', async () => {
    expect((await told(adapter, HELLO)).progress).toBe('Hello, world.');
  });

  it.each(['end', 'destroy'] as const)(
    'never takes a stream that was cut for an answer (%s)',
    async (how) => {
      const scenario = { text: 'Hello, world.', calls: [CALL] };
      const frames = frameCount(ADAPTERS[adapter].path, scenario);
      const complete = { chat: 2, compatible: 2, responses: 0, anthropic: 0, google: 0 }[adapter];
      const kinds: string[] = [];
      for (let count = 0; count < frames; count += 1) {
        const { answer } = await told(adapter, { ...scenario, cutAfter: { frames: count, how } });
        kinds.push(answer.kind === 'error' ? `${answer.error.code} ${answer.retryable}` : answer.kind);
      }
      // After the reason for its end, a chat completion lacks only the count of tokens.
      const whole = how === 'end' ? complete : 0;
      const cut = kinds.slice(0, frames - whole);
      expect(kinds.slice(frames - whole)).toEqual(Array(whole).fill('text'));
      expect(new Set(cut)).toSatisfy((found: Set<string>) =>
        [...found].every((kind) => ['provider_interrupted true', 'provider_error true'].includes(kind)),
      );
      expect(cut.length).toBeGreaterThan(2);
    },
  );

  it.each([
    ['no status', { hangAfter: -1 }, 120_000],
    ['no frame', { hangAfter: 0 }, 120_000],
    ['a part of the answer', { ...HELLO, hangAfter: 2 }, 60_000],
  ])('gives up when the provider falls silent after %s', async (_, scenario, ms) => {
    const timers = handTimers();
    const provider = providerAt(adapter, server.baseURL(scenario));
    const models = connected(configOf({ p: provider }), { ...never, later: timers.later });
    const arrived = server.next();
    const answer = ask(models, requestTo('p', ADAPTERS[adapter].model));
    const request = await arrived;
    await timers.running(ms);
    timers.fire(ms);
    expect((await answer).answer).toEqual(fails('provider_timeout', true));
    expect(await request.hungUp).toBeUndefined();
    expect(timers.count()).toBe(0);
  });

  it('gives up when a call takes too long in total, although the provider is not silent', async () => {
    const timers = handTimers();
    const provider = providerAt(adapter, server.baseURL({ ...HELLO, hangAfter: 2 }), { totalMs: 900_000 });
    const models = connected(configOf({ p: provider }), { ...never, later: timers.later });
    const arrived = server.next();
    const answer = ask(models, requestTo('p', ADAPTERS[adapter].model));
    const request = await arrived;
    await timers.running(60_000);
    timers.fire(900_000);
    expect((await answer).answer).toMatchObject({
      retryable: true,
      error: { code: 'provider_timeout', message: expect.stringContaining('totalSeconds') },
    });
    expect(await request.hungUp).toBeUndefined();
    expect(timers.count()).toBe(0);
  });

  it.each(['text/html; charset=utf-8', 'application/json'])(
    'says that %s is no stream, and what to check',
    async (contentType) => {
      const scenario = { ...HELLO, headers: { 'content-type': contentType } };
      const models = connected(configOf({ p: providerAt(adapter, server.baseURL(scenario)) }), never);
      const { answer } = await ask(models, requestTo('p', ADAPTERS[adapter].model));
      expect(answer).toMatchObject({ kind: 'error', retryable: false, error: { code: 'provider_rejected' } });
      expect(JSON.stringify(answer)).toContain(
        `content type ${contentType.split(';')[0]} instead of a stream`,
      );
      expect(JSON.stringify(answer)).toContain('check baseURL');
    },
  );

  it('closes the socket when the call is aborted', async () => {
    const timers = handTimers();
    const provider = providerAt(adapter, server.baseURL({ ...HELLO, hangAfter: 2 }));
    const models = connected(configOf({ p: provider }), { ...never, later: timers.later });
    const abort = new AbortController();
    const arrived = server.next();
    const answer = ask(models, requestTo('p', ADAPTERS[adapter].model), { signal: abort.signal });
    const request = await arrived;
    await timers.running(60_000);
    abort.abort();
    expect((await answer).answer).toEqual(fails('provider_interrupted', true));
    expect(await request.hungUp).toBeUndefined();
    expect(timers.count()).toBe(0);
  });

  it('sends nothing when the call was aborted before', async () => {
    const before = server.requests.length;
    const signal = AbortSignal.abort();
    const { answer } = await ask(at(adapter, HELLO), requestTo('p', ADAPTERS[adapter].model), { signal });
    expect(answer).toEqual(fails('provider_interrupted', true));
    expect(server.requests.length).toBe(before);
  });

  it('sends the key of the call, which is the same after a crash', async () => {
    await ask(at(adapter, HELLO), requestTo('p', ADAPTERS[adapter].model), { key: 'run-1:node:1:1:3' });
    expect(server.requests.at(-1)?.headers['idempotency-key']).toBe('run-1:node:1:1:3');
  });
});
