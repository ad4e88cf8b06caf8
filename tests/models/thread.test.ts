import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { connectModels, realLater, threadedVendors } from '@baton/agents';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../http/host.ts';
import { ADAPTERS, ask, CANARY, configOf, providerAt, requestTo } from './asking.ts';
import { handTimers } from './hand-timers.ts';
import type { Scenario } from './wire/scenario.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

/** Models are asked in a thread of their own. */

const THREAD = new URL('../../packages/agents/dist/models/thread/model-thread.js', import.meta.url);
const MODEL = ADAPTERS.chat.model;
const REQUEST = requestTo('p', MODEL);
const DONE: Scenario = { text: 'It is 42.', usage: { input: 50, output: 10 } };
const wire: WireServer = await startWireServer();
afterAll(() => wire.close());
beforeEach(() => {
  wire.requests.length = 0;
});

/** Starts model threads that the test can end. */
function launching() {
  const threads: Worker[] = [];
  const launch = () => {
    const thread = new Worker(THREAD);
    threads.push(thread);
    return thread;
  };
  return { threads, launch };
}

const config = (more: object = {}) => configOf({ p: providerAt('chat', wire.baseURL(), more) });

function vendorAt({ baseURL }: WireServer) {
  const { kind: _kind, key: _key, ...rest } = providerAt('chat', baseURL());
  return { provider: 'p', config: { ...rest, kind: 'openai' as const }, key: CANARY };
}

const callOf = (signal = new AbortController().signal) => ({
  ...{ request: REQUEST, key: 'k', signal },
  ...{ progress: () => undefined, reasoned: () => undefined },
});

describe('models in a thread', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  function threaded(more: Parameters<typeof config>[0] = {}) {
    const { threads, launch } = launching();
    const lost: [string, number][] = [];
    const secrets = new Map<string, string>();
    const models = connectModels(config(more), {
      secretOf: async (tenant, name) => secrets.get(`${tenant}/${name}`),
      now: Date.now,
      later: realLater,
      vendors: threadedVendors({ launch, onLost: ({ message }, calls) => lost.push([message, calls]) }),
    });
    stops.push(models.stop);
    const health = () => models.health().providers.find(({ id }) => id === 'p');
    return { models, threads, lost, secrets, health };
  }

  it('start with the first call of a vendor, and not for the scripted provider', async () => {
    const { models, threads } = threaded();
    await ask(models, requestTo('scripted', 'any'));
    expect(threads).toHaveLength(0);
    wire.will({ ...DONE, reasoning: 'I count.' }, DONE);
    const { answer, progress } = await ask(models, REQUEST);
    expect(answer).toMatchObject({ kind: 'text', text: 'It is 42.', usage: { inputTokens: 50 } });
    expect(progress).toBe('It is 42.');
    await ask(models, REQUEST);
    expect(threads).toHaveLength(1);
  });

  it('a call of a lost thread can be repeated, and says nothing about the provider', async () => {
    const { models, threads, lost, health } = threaded();
    wire.will({ ...DONE, hangAfter: 2 }, DONE);
    const arrived = wire.next();
    const asking = ask(models, REQUEST);
    const request = await arrived;
    expect(health()).toMatchObject({ activeCalls: 1 });
    await threads[0]?.terminate();
    expect((await asking).answer).toMatchObject({
      kind: 'error',
      retryable: true,
      error: { code: 'provider_interrupted' },
    });
    expect(await request.hungUp).toBeUndefined();
    expect(lost).toEqual([['the model thread ended with code 1', 1]]);
    expect(health()).toMatchObject({ state: 'working', faultsInARow: 0, activeCalls: 0 });
    expect((await ask(models, REQUEST)).answer).toMatchObject({ kind: 'text', text: 'It is 42.' });
    expect(threads).toHaveLength(2);
  });

  it('faults of a provider are still known after the thread was lost', async () => {
    const { models, threads, health } = threaded();
    wire.will({ status: 500 }, { status: 500 }, DONE);
    await ask(models, REQUEST);
    await threads[0]?.terminate();
    expect(health()).toMatchObject({
      state: 'failing',
      faultsInARow: 1,
      lastFault: { code: 'provider_error' },
    });
    await ask(models, REQUEST);
    expect(health()).toMatchObject({ faultsInARow: 2 });
  });

  it('a thread that throws is lost, and nothing else', async () => {
    const { threads, launch } = launching();
    const broken = () => {
      if (threads.length > 0) return launch();
      const thread = new Worker("throw { message: 'broken' }", { eval: true });
      threads.push(thread);
      return thread;
    };
    const lost: string[] = [];
    const vendors = threadedVendors({ launch: broken, onLost: ({ message }) => lost.push(message) });
    stops.push(vendors.stop);
    expect(await vendors.ask(callOf(), vendorAt(wire))).toBeUndefined();
    expect(lost).toEqual(['broken']);
    wire.will(DONE);
    expect(await vendors.ask(callOf(), vendorAt(wire))).toMatchObject({ text: 'It is 42.' });
  });

  it('a thread that is stuck is ended, and its calls are lost', async () => {
    const timers = handTimers();
    const { threads, launch } = launching();
    const stuck = () => {
      if (threads.length > 0) return launch();
      const thread = new Worker('for (;;);', { eval: true });
      threads.push(thread);
      return thread;
    };
    const lost: [string, number][] = [];
    const vendors = threadedVendors({
      launch: stuck,
      later: timers.later,
      onLost: ({ message }, calls) => lost.push([message, calls]),
    });
    stops.push(vendors.stop);
    const lostCall = vendors.ask(callOf(), vendorAt(wire));
    timers.fire(60_000);
    expect(await lostCall).toBeUndefined();
    expect(lost).toEqual([['the model thread sent nothing for 60 s', 1]]);
    wire.will({ ...DONE, hangAfter: 2 });
    const abort = new AbortController();
    let asking: ReturnType<typeof vendors.ask> | undefined;
    await new Promise<void>((spoke) => {
      const call = { ...callOf(abort.signal), progress: () => spoke() };
      asking = vendors.ask(call, vendorAt(wire));
    });
    timers.fire(60_000);
    expect([lost.length, timers.count()]).toEqual([1, 1]);
    abort.abort();
    expect(await asking).toMatchObject({ kind: 'error' });
    expect(timers.count()).toBe(0);
  });

  it('a call that is aborted closes its socket', async () => {
    const { models } = threaded();
    wire.will({ ...DONE, hangAfter: 2 });
    const arrived = wire.next();
    const abort = new AbortController();
    const asking = ask(models, REQUEST, { signal: abort.signal });
    const request = await arrived;
    abort.abort();
    expect(await request.hungUp).toBeUndefined();
    expect((await asking).answer).toMatchObject({ kind: 'error', error: { code: 'provider_interrupted' } });
  });

  it('calls end when the models are stopped, and none begins afterwards', async () => {
    const { models, threads, lost } = threaded();
    wire.will({ ...DONE, hangAfter: 2 });
    const arrived = wire.next();
    const asking = ask(models, REQUEST);
    const request = await arrived;
    await models.stop();
    expect((await asking).answer).toMatchObject({ kind: 'error', retryable: true });
    expect(await request.hungUp).toBeUndefined();
    expect((await ask(models, REQUEST)).answer).toMatchObject({ kind: 'error', retryable: true });
    expect([threads.length, lost, wire.requests.length]).toEqual([1, [], 1]);
  });

  it('a key that a tenant sets while the thread runs is used by the next call', async () => {
    const { models, threads, secrets } = threaded({ key: { secret: 'model-key' } });
    wire.will(DONE);
    for (const value of [undefined, 'sk-first-0123456789', 'sk-second-0123456789']) {
      if (value !== undefined) secrets.set('acme/model-key', value);
      await ask(models, REQUEST);
    }
    expect(wire.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-first-0123456789',
      'Bearer sk-second-0123456789',
    ]);
    expect(threads).toHaveLength(1);
  });
});

describe('a host', () => {
  const SECRET = 'sk-set-at-run-time-0123456789';
  const { threads, launch } = launching();
  let host: TestHost;
  beforeAll(async () => {
    host = await startTestHost({ models: config({ key: { secret: 'model-key' } }) }, [], {
      launchModels: launch,
    });
    const manifest = {
      ...{ agentId: 'local.desk.clerk', persona: 'Clerk', modelClass: 'general' },
      ...{ systemPrompt: 'You are a clerk.', toolAllowlist: [], baton: { model: `p/${MODEL}` } },
    };
    expect((await host.post('/v1/agents', { manifest })).status).toBe(201);
  });

  const RUN = { agentId: 'local.desk.clerk', inputs: { task: 'Count.' } };
  const toEnd = { headers: { prefer: 'wait=20' } };

  it('has no model thread before it asks a model', () => {
    expect(threads).toHaveLength(0);
  });

  it('uses a secret that was set after its start, and records it nowhere', async () => {
    expect((await host.send('PUT', '/v1/secrets/model-key', { value: SECRET })).status).toBeLessThan(300);
    wire.will(DONE);
    const { body } = await host.post('/v1/runs', RUN, toEnd);
    expect(body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    expect(wire.requests.at(-1)?.headers.authorization).toBe(`Bearer ${SECRET}`);
    for (const file of readdirSync(host.folder)) {
      expect(readFileSync(join(host.folder, file)).includes(SECRET), file).toBe(false);
    }
  });

  it('goes on when its model thread is lost: the call is tried again in another one', async () => {
    wire.will({ ...DONE, hangAfter: 2 }, DONE);
    const arrived = wire.next();
    const running = host.post('/v1/runs', RUN, toEnd);
    await arrived;
    await threads.at(-1)?.terminate();
    expect((await running).body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    expect(threads).toHaveLength(2);
    const [first, second] = wire.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
    const { providers } = (await host.get('/v1/models')).body;
    expect(providers).toContainEqual(
      expect.objectContaining({ provider: 'p', state: 'working', faultsInARow: 0, activeCalls: 0 }),
    );
  });

  it('ends its calls when it stops', async () => {
    wire.will({ ...DONE, hangAfter: 2 });
    const arrived = wire.next();
    await host.post('/v1/runs', RUN);
    const request = await arrived;
    await host.stop();
    expect(await request.hungUp).toBeUndefined();
    // The id of a thread that has ended is -1.
    expect(threads.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});
