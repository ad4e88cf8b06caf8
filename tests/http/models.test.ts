import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedHost, startTestHost, type TestHost } from './host.ts';

const SCHEMA = { type: 'object', required: ['valid'], properties: { valid: { type: 'boolean' } } };
const messages = { type: 'static', value: [{ role: 'user', content: 'Is it so?' }] };
const call = (id: string, config: object = {}) => ({
  id,
  typeId: 'core.ai.structuredOutput',
  config: { provider: 'mock', model: 'mock-mini', outputSchema: SCHEMA, ...config },
  inputs: { messages },
});
const WORKFLOWS = [
  { id: 'asking', nodes: [call('call')] },
  { id: 'asking-nobody', nodes: [call('call', { provider: 'nobody' })] },
];
const KEYS = [
  { token: 'their-key', tenant: 'other', scopes: ['runs:create', 'runs:read', 'workflows:write'] },
];

const PROGRAM = '/v1/host/sample/test/mock-ai/program';
const CACHE_KEY = '/v1/host/sample/test/llm-cache-key';
const host = await sharedHost({ testSeams: true, workflows: WORKFLOWS }, KEYS);
afterAll(() => host.stop());
beforeEach(() => host.post('/v1/host/sample/test/reset', {}));

const program = (entries: readonly object[], key?: string) =>
  host.post(PROGRAM, { nodeId: 'call', program: entries }, key === undefined ? {} : { key });

async function typesOf(runId: string, at: TestHost = host) {
  const { body } = await at.get(`/v1/runs/${runId}/events`);
  return body.events.map((event: { type: string }) => event.type);
}

describe('asking a model', () => {
  it('completes without being told anything, with what fits', async () => {
    const { body } = await host.run('asking');
    expect(body).toMatchObject({ status: 'completed' });
    expect(await typesOf(body.runId)).toEqual([
      'run.started',
      'node.started',
      'baton.effect.intended',
      'baton.effect.settled',
      'provider.usage',
      'node.completed',
      'run.completed',
    ]);
  });

  it('hears what the suite has programmed, in order, until it is programmed anew', async () => {
    expect(await program([{ content: 'no' }, { content: '{"valid":false}' }])).toMatchObject({ status: 200 });
    const { body } = await host.run('asking');
    expect(body.status).toBe('completed');
    expect(await typesOf(body.runId)).toContain('envelope.retry.attempted');
    await program([{ stopReason: 'safety', refusalText: 'No.' }]);
    const refused = await host.run('asking');
    expect(refused.body).toMatchObject({ status: 'failed', error: { code: 'envelope_refusal' } });
    await host.post('/v1/host/sample/test/reset', {});
    expect((await host.run('asking')).body.status).toBe('completed');
  });

  it('does not hear what another tenant has programmed', async () => {
    await program([{ stopReason: 'safety' }], 'their-key');
    expect((await host.run('asking')).body.status).toBe('completed');
    await host.post('/v1/host/sample/test/reset', {});
    const theirs = await host.post(
      '/v1/runs',
      { workflowId: 'asking' },
      { key: 'their-key', headers: { prefer: 'wait=20' } },
    );
    expect(theirs.body.error.code).toBe('envelope_refusal');
  });

  it('fails clearly when the provider is not there', async () => {
    expect((await host.run('asking-nobody')).body).toMatchObject({
      status: 'failed',
      error: { code: 'capability_not_provided', message: expect.stringContaining('"nobody"') },
    });
  });

  it('REPLAY-15 asks the model that the run was started with, and records it', async () => {
    const { body } = await host.run('asking', { configurable: { model: 'mock-large' } });
    const { events } = (await host.get(`/v1/runs/${body.runId}/events`)).body;
    expect(events[2].payload.effect.request.model).toBe('mock-large');
    expect(events[4].payload).toMatchObject({ provider: 'mock', model: 'mock-large' });
    expect((await host.run('asking', { configurable: { model: 4 } })).status).toBe(400);
  });

  it.each([
    {},
    { nodeId: 'call' },
    { nodeId: 'call', program: [] },
    { nodeId: '', program: [{ content: 'x' }] },
    { nodeId: 'call', program: [{ content: 4 }] },
    { nodeId: 'call', program: [{ content: 'x', stopReason: 'tired' }] },
    { nodeId: 'call', program: [{ mode: 'refusal' }] },
  ])('refuses a program that is none: %j', async (body) => {
    expect((await host.post(PROGRAM, body)).status).toBe(400);
  });
});

describe('the key of a request', () => {
  const hello = { provider: 'anthropic', model: 'claude-x', messages: [{ role: 'user', content: 'hello' }] };

  it('REPLAY-03 is the published digest, whatever else is sent along', async () => {
    const cacheKey = 'c92498949e9cc0e38bb2887e88e55b6936932e219b8344f0a7059b1de960073d';
    const noise = { stream: true, user: 'ada', 'x-request-id': 'r', tenantId: 't', runId: 'r', timeoutMs: 3 };
    expect(await host.post(CACHE_KEY, hello)).toMatchObject({ status: 200, body: { cacheKey } });
    expect((await host.post(CACHE_KEY, { ...hello, ...noise })).body).toEqual({ cacheKey });
    expect((await host.post(CACHE_KEY, { ...hello, seed: 1 })).body.cacheKey).not.toBe(cacheKey);
  });

  it.each([
    { ...hello, provider: 'Anthropic' },
    { ...hello, model: undefined },
    { ...hello, messages: [] },
    { ...hello, messages: [{ role: 'robot', content: 'x' }] },
    {},
  ])('REPLAY-03 is refused to what is no request: %j', async (body) => {
    expect((await host.post(CACHE_KEY, body)).status).toBe(400);
  });

  it('REPLAY-01 is the one that a run records', async () => {
    const { body } = await host.run('asking');
    const { events } = (await host.get(`/v1/runs/${body.runId}/events`)).body;
    const { request, cacheKey } = events[2].payload.effect;
    expect((await host.post(CACHE_KEY, request)).body.cacheKey).toBe(cacheKey);
  });
});

describe('answers that other runs may use', () => {
  const usage = async (at: TestHost, runId: string) => {
    const { events } = (await at.get(`/v1/runs/${runId}/events`)).body;
    return events.find((event: { type: string }) => event.type === 'provider.usage').payload;
  };
  const run = async (at: TestHost, key?: string) => {
    const sending = { headers: { prefer: 'wait=20' }, ...(key !== undefined && { key }) };
    return (await at.post('/v1/runs', { workflowId: 'asking' }, sending)).body;
  };

  it('are not used unless the operator says so', async () => {
    await program([{ content: '{"valid":false}' }]);
    await run(host);
    expect(await usage(host, (await run(host)).runId)).not.toHaveProperty('cacheHit');
  });

  it('are used within a tenant, and refusals never', async () => {
    const settings = { testSeams: true, builtinWorkflows: WORKFLOWS, modelCache: 'tenant' } as const;
    const caching = await startTestHost(settings, KEYS);
    const tell = (entry: object) => caching.post(PROGRAM, { nodeId: 'call', program: [entry] });
    await tell({ stopReason: 'safety' });
    expect((await run(caching)).status).toBe('failed');
    await tell({ content: '{"valid":false}' });
    const first = await run(caching);
    await tell({ content: '{"valid":true}' });
    const second = await run(caching);
    const cost = await usage(caching, first.runId);
    expect(cost).not.toHaveProperty('cacheHit');
    expect(await usage(caching, second.runId)).toEqual({ ...cost, cacheHit: true });
    const { events } = (await caching.get(`/v1/runs/${second.runId}/events`)).body;
    expect(events.at(-2).payload.outputs).toEqual({ data: { valid: false } });
    const theirs = await run(caching, 'their-key');
    const log = (await caching.get(`/v1/runs/${theirs.runId}/events`, { key: 'their-key' })).body.events;
    expect(log[2].payload).not.toHaveProperty('cacheHit');
    await caching.stop();
  });
});
