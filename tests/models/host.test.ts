import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';
import { ADAPTER_NAMES, ADAPTERS, type AdapterName, CANARY, configOf, providerAt } from './asking.ts';
import type { Scenario } from './wire/scenario.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

/** Agents of a real host that think with the real packages of the vendors. */

const RUNNER = 'key-of-a-runner-without-manifests';

const idOf = (adapter: AdapterName) => `local.desk.${adapter}`;

const wire: WireServer = await startWireServer();
const providers = Object.fromEntries(
  ADAPTER_NAMES.map((adapter) => [
    adapter,
    providerAt(adapter, wire.baseURL(), { headers: { 'x-team': CANARY } }),
  ]),
);
const target = { provider: 'chat', model: ADAPTERS.chat.model };
const config = configOf(providers);
const models = { ...config, classes: { ...config.classes, general: target } };
const host = await startTestHost({ models }, [
  { token: RUNNER, tenant: 'acme', scopes: ALL_SCOPES.filter((scope) => scope !== 'manifest:read') },
]);
afterAll(async () => {
  await host.stop();
  await wire.close();
});
for (const adapter of ADAPTER_NAMES) {
  const { status } = await host.post('/v1/agents', {
    manifest: {
      agentId: idOf(adapter),
      persona: 'Clerk',
      modelClass: 'general',
      systemPrompt: 'You are a clerk.',
      toolAllowlist: ['baton:calculate'],
      baton: { model: `${adapter}/${ADAPTERS[adapter].model}` },
    },
  });
  expect(status).toBe(201);
}
beforeEach(() => {
  wire.requests.length = 0;
});

async function run(adapter: AdapterName, ...scenarios: readonly Scenario[]) {
  wire.will(...scenarios);
  const { body } = await host.post(
    '/v1/runs',
    { agentId: idOf(adapter), inputs: { task: 'Count.' } },
    { headers: { prefer: 'wait=20' } },
  );
  const events = (await host.get(`/v1/runs/${body.runId}/events/poll?limit=200`)).body.events;
  expect(JSON.stringify([body, events])).not.toContain(CANARY);
  return { body, events: events as { type: string; payload: Record<string, unknown> }[] };
}

const CALCULATE: Scenario = {
  reasoning: 'I count.',
  signature: 'SIGNED',
  calls: [{ id: 'c1', name: 'baton_calculate', input: '{"expression":"6 * 7"}' }],
};
const DONE: Scenario = { text: 'It is 42.', usage: { input: 50, output: 10 } };

const outcomeOf = (events: readonly { type: string; payload: Record<string, unknown> }[]) =>
  events.find(({ type }) => type === 'agent.invocation.completed')?.payload.outcome;

describe.each(ADAPTER_NAMES)('an agent on %s', (adapter) => {
  it('calls a tool, gives the result back, and answers', async () => {
    const { body, events } = await run(adapter, CALCULATE, DONE);
    expect(body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    expect(events.filter(({ type }) => type === 'provider.usage')).toHaveLength(2);
    expect(wire.requests).toHaveLength(2);
    expect(JSON.stringify(wire.requests[1]?.body)).toContain('42');
    const keys = wire.requests.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
  });

  it('is asked again after the time that the provider wants, and with the same key', async () => {
    const { body } = await run(adapter, { status: 429, headers: { 'retry-after-ms': '5' } }, DONE);
    expect(body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    const [first, second] = wire.requests.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(second);
  });

  it('never takes half an answer for an answer', async () => {
    const { body } = await run(adapter, { ...DONE, cutAfter: { frames: 2, how: 'end' } }, DONE);
    expect(body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    expect(wire.requests).toHaveLength(2);
  });

  it('fails at once when the key is refused', async () => {
    const { body, events } = await run(adapter, { status: 401 }, DONE);
    expect(body).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(events)).toContain('provider_unauthorized');
    expect(outcomeOf(events)).toBe('failed');
    expect(wire.requests).toHaveLength(1);
  });

  it('refuses when the model refuses', async () => {
    const { events } = await run(adapter, { refusal: 'I will not.' }, DONE);
    expect(outcomeOf(events)).toBe('refused');
    expect(wire.requests).toHaveLength(1);
  });

  it('is cut off when its run is cancelled', async () => {
    wire.will({ ...DONE, hangAfter: 2 });
    const arrived = wire.next();
    const { body } = await host.post('/v1/runs', { agentId: idOf(adapter), inputs: { task: 'Count.' } });
    const request = await arrived;
    await host.post(`/v1/runs/${body.runId}/cancel`, {});
    expect(await request.hungUp).toBeUndefined();
  });

  it('is not asked by a replay', async () => {
    const { body } = await run(adapter, CALCULATE, DONE);
    const replay = await host.post(`/v1/runs/${body.runId}:fork`, { mode: 'replay' });
    expect(replay.status).toBeLessThan(300);
    // The stream closes when the replay has ended.
    const { text } = await host.get(`/v1/runs/${replay.body.runId}/events`, {
      headers: { accept: 'text/event-stream' },
    });
    expect(text).not.toContain('replay.diverged');
    expect((await host.get(`/v1/runs/${replay.body.runId}`)).body.variables).toEqual({ ...body.variables });
    expect(wire.requests).toHaveLength(2);
  });
});

describe('GET /v1/models', () => {
  it('shows classes, providers and their health, and no key, header or address', async () => {
    const { status, body, text } = await host.get('/v1/models');
    expect(status).toBe(200);
    expect(body.classes).toContainEqual({
      modelClass: 'general',
      provider: 'chat',
      model: ADAPTERS.chat.model,
      fallbacks: [],
    });
    expect(body.classes).toHaveLength(6);
    expect(body.providers.map(({ provider, kind }: Record<string, string>) => `${provider} ${kind}`)).toEqual(
      ['scripted scripted', ...ADAPTER_NAMES.map((adapter) => `${adapter} ${ADAPTERS[adapter].kind}`)],
    );
    expect(text).not.toContain(CANARY);
    expect(text).not.toContain('127.0.0.1');
  });

  it('shows the last fault of a provider', async () => {
    await run('chat', { status: 401 });
    const { body } = await host.get('/v1/models');
    const chat = body.providers.find(({ provider }: Record<string, string>) => provider === 'chat');
    expect(chat).toMatchObject({ state: 'failing', lastFault: { code: 'provider_unauthorized' } });
    await run('chat', DONE);
    const after = (await host.get('/v1/models')).body;
    expect(after.providers.find(({ provider }: Record<string, string>) => provider === 'chat')).toMatchObject(
      {
        state: 'working',
        lastFault: { code: 'provider_unauthorized' },
      },
    );
  });

  it('needs the scope to read manifests', async () => {
    expect((await host.get('/v1/models', { key: RUNNER })).status).toBe(403);
    expect((await host.get('/v1/models', { key: null })).status).toBe(401);
  });
});

it('the keys of providers are on no page of the database', () => {
  const files = readdirSync(host.folder);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(readFileSync(join(host.folder, file)).includes(CANARY), file).toBe(false);
});
