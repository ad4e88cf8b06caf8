import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADAPTERS, ask, CANARY, configOf, connected, providerAt, requestTo } from './asking.ts';
import type { Scenario } from './wire/scenario.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

/** Several providers at once: breaker, fallback, slots and keys. */

let first: WireServer;
let second: WireServer;
beforeAll(async () => {
  [first, second] = [await startWireServer(), await startWireServer()];
});
afterAll(() => Promise.all([first.close(), second.close()]));
beforeEach(() => {
  first.requests.length = 0;
  second.requests.length = 0;
});

const MODEL = ADAPTERS.chat.model;
const TARGET = { provider: 'p', model: MODEL };
const OTHER = { provider: 'q', model: ADAPTERS.anthropic.model };
const REQUEST = requestTo('p', MODEL);

function twoProviders(key: object = { key: { value: CANARY } }, later?: Parameters<typeof connected>[1]) {
  const p = { ...providerAt('chat', first.baseURL()), ...key };
  const q = providerAt('anthropic', second.baseURL());
  const config = configOf({ p, q });
  let now = 0;
  const models = connected(
    { ...config, classes: { ...config.classes, reasoning: TARGET }, fallbacks: { reasoning: [OTHER] } },
    { now: () => now, ...later },
  );
  return {
    models,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const kindsOf = async (models: Parameters<typeof ask>[0], times: number) => {
  const kinds: string[] = [];
  for (let at = 0; at < times; at += 1) {
    const { answer } = await ask(models, REQUEST);
    kinds.push(answer.kind === 'error' ? answer.error.code : answer.kind);
  }
  return kinds;
};

describe('a provider that fails', () => {
  it('is not asked after three faults in a row, and is tried again later', async () => {
    const models = connected(configOf({ p: providerAt('chat', first.baseURL()) }), { now: () => now });
    let now = 0;
    first.will({ status: 500 });
    expect(await kindsOf(models, 4)).toEqual([...Array(3).fill('provider_error'), 'provider_unavailable']);
    expect(first.requests).toHaveLength(3);
    expect((await ask(models, REQUEST)).answer).toMatchObject({ retryable: true, retryAfterMs: 30_000 });
    expect(models.health().providers.find(({ id }) => id === 'p')).toEqual({
      id: 'p',
      kind: 'openai',
      state: 'unavailable',
      faultsInARow: 3,
      activeCalls: 0,
      waitingCalls: 0,
      lastFault: { code: 'provider_error', at: 0 },
    });
    now += 30_000;
    first.will({ text: 'Back.' });
    expect(await kindsOf(models, 2)).toEqual(['text', 'text']);
    expect(models.health().providers.find(({ id }) => id === 'p')).toMatchObject({ state: 'working' });
  });

  it.each<[string, Scenario]>([
    ['refuses too many requests', { status: 429 }],
    ['refuses what we send', { status: 400 }],
    ['does not know the key', { status: 401 }],
    ['refuses to answer', { refusal: 'No.' }],
  ])('is still asked when it %s', async (_, scenario) => {
    const models = connected(configOf({ p: providerAt('chat', first.baseURL()) }));
    first.will(scenario);
    await kindsOf(models, 5);
    expect(first.requests).toHaveLength(5);
  });

  it('is replaced by a fallback as soon as it is not asked any more, which the answer says', async () => {
    const { models, pass } = twoProviders();
    first.will({ status: 503 });
    second.will({ text: 'Instead.' });
    expect(await kindsOf(models, 2)).toEqual(['provider_busy', 'provider_busy']);
    const { answer } = await ask(models, REQUEST);
    expect(answer).toMatchObject({ kind: 'text', text: 'Instead.', substitute: OTHER });
    expect(second.requests[0]?.body.model).toBe(OTHER.model);
    await ask(models, REQUEST);
    expect([first.requests.length, second.requests.length]).toEqual([3, 2]);
    pass(30_000);
    first.will({ text: 'Back.' });
    expect((await ask(models, REQUEST)).answer).not.toHaveProperty('substitute');
  });

  it('is not replaced in the middle of its answer', async () => {
    const { models } = twoProviders();
    first.will({ text: 'Hello, world.', cutAfter: { frames: 3, how: 'destroy' } });
    expect(await kindsOf(models, 3)).toEqual(Array(3).fill('provider_interrupted'));
    expect(await kindsOf(models, 1)).toEqual(['text']);
  });

  it("is replaced when it does not accept the operator's key, and not when it is the key of a tenant", async () => {
    first.will({ status: 401 });
    expect((await ask(twoProviders().models, REQUEST)).answer).toMatchObject({ substitute: OTHER });
    const { models } = twoProviders({ key: { secret: 'theirs' } }, {
      secretOf: async () => 'sk-theirs',
    } as never);
    const message = expect.stringMatching(
      /secret "theirs" of the tenant, which was refused.*PUT \/v1\/secrets\/theirs/,
    );
    expect((await ask(models, REQUEST)).answer).toMatchObject({
      error: { code: 'provider_unauthorized', message },
    });
  });

  it.each<[string, Scenario]>([
    ['a refusal', { refusal: 'No.' }],
    ['a request that it refuses', { status: 400 }],
    ['too many requests', { status: 429 }],
    ['one fault', { status: 500 }],
  ])('is not replaced for %s', async (_, scenario) => {
    first.will(scenario);
    expect((await ask(twoProviders().models, REQUEST)).answer).not.toHaveProperty('substitute');
    expect(second.requests).toHaveLength(0);
  });

  it('keeps its own fault when the fallback fails too', async () => {
    first.will({ status: 401 });
    second.will({ status: 500 });
    expect((await ask(twoProviders().models, REQUEST)).answer).toMatchObject({
      kind: 'error',
      error: { code: 'provider_unauthorized', details: { provider: 'p' } },
    });
  });

  it('marks the refusal of a fallback as well', async () => {
    first.will({ status: 401 });
    second.will({ refusal: 'No.' });
    expect((await ask(twoProviders().models, REQUEST)).answer).toMatchObject({
      kind: 'refusal',
      substitute: OTHER,
    });
  });
});

describe('the key of a provider', () => {
  it('is that of the tenant, looked up for each call', async () => {
    first.will({ text: 'Hello.' });
    const keys = new Map([['acme', 'sk-one']]);
    const p = { ...providerAt('chat', first.baseURL()), key: { secret: 'openai' } };
    const models = connected(configOf({ p }), {
      secretOf: async (tenant, name) => (name === 'openai' ? keys.get(tenant) : undefined),
    });
    await ask(models, REQUEST);
    keys.set('acme', 'sk-two');
    await ask(models, REQUEST);
    expect(first.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-one',
      'Bearer sk-two',
    ]);
    expect((await ask(models, REQUEST, { tenant: 'other' })).answer).toMatchObject({
      kind: 'error',
      retryable: false,
      error: { code: 'provider_key_missing', message: expect.stringContaining('PUT /v1/secrets/openai') },
    });
    expect(first.requests).toHaveLength(2);
  });

  it('is not in the health of the models', async () => {
    const { models } = twoProviders({ key: { value: CANARY }, headers: { 'x-team': `team-${CANARY}` } });
    expect(JSON.stringify(models.health())).not.toContain(CANARY);
    expect(JSON.stringify(models.health())).not.toContain('127.0.0.1');
  });
});

it('a provider has no more calls at once than it may, and a waiting one can be aborted', async () => {
  const models = connected(configOf({ p: { ...providerAt('chat', first.baseURL()), concurrency: 1 } }));
  first.will({ text: 'Hello.', hangAfter: 1 }, { text: 'Hello.' });
  const [holding, waiting] = [new AbortController(), new AbortController()];
  const arrived = first.next();
  const one = ask(models, REQUEST, { signal: holding.signal });
  await arrived;
  const two = ask(models, REQUEST, { signal: waiting.signal });
  const three = ask(models, REQUEST, { tenant: 'late' });
  expect(models.health().providers.find(({ id }) => id === 'p')).toMatchObject({
    activeCalls: 1,
    waitingCalls: 2,
  });
  waiting.abort();
  expect((await two).answer).toMatchObject({ kind: 'error' });
  holding.abort();
  await one;
  expect((await three).answer).toMatchObject({ text: 'Hello.' });
  expect(first.requests).toHaveLength(2);
});

describe('the model for a class', () => {
  const nowhere = 'http://127.0.0.1:1';
  const models = connected(configOf({ p: providerAt('chat', nowhere), q: providerAt('anthropic', nowhere) }));

  it.each([
    ['writing', undefined, { provider: 'p', model: 'model' }],
    ['poetry', undefined, { provider: 'p', model: 'model' }],
    ['writing', { model: 'other' }, { provider: 'p', model: 'other' }],
    ['writing', { model: 'q/other' }, { provider: 'q', model: 'other' }],
    ['writing', { model: 'meta/llama' }, { provider: 'p', model: 'meta/llama' }],
    ['writing', { provider: 'q', model: 'a/b' }, { provider: 'q', model: 'a/b' }],
    ['writing', { provider: 'p' }, { provider: 'p', model: 'model' }],
    ['classification', { provider: 'q' }, { provider: 'q', model: 'claude-haiku-4-5' }],
    ['writing', { provider: 'nobody', model: 'x' }, undefined],
    ['writing', { provider: 'constructor' }, undefined],
  ])('%s with %j is %j', (modelClass, override, expected) => {
    expect(models.resolve(modelClass, override)).toEqual(expected);
  });
});

describe('the cost of a call', () => {
  const costOf = async (provider: string, more: Partial<Parameters<typeof configOf>[1]> = {}) => {
    first.will({ text: 'Hello.', usage: { input: 1000, output: 1000 } });
    const models = connected(configOf({ p: providerAt('chat', first.baseURL()) }, more));
    return (await ask(models, requestTo(provider, 'm'))).answer.costUsd;
  };

  it('follows the prices of the operator', async () => {
    expect(await costOf('p', { prices: { 'p/m': { input: 1, output: 1 } } })).toBe(0.002);
    expect(await costOf('scripted', { prices: { 'scripted/m': { input: 1, output: 0 } } })).toBeGreaterThan(
      0,
    );
  });

  it('is not known for a model without a price', async () => {
    expect(await costOf('p', { prices: { 'p/other': { input: 1, output: 1 } } })).toBeUndefined();
    expect(await costOf('scripted')).toBeUndefined();
  });
});
