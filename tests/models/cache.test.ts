import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';
import { ADAPTERS, configOf, providerAt } from './asking.ts';
import type { Scenario } from './wire/scenario.ts';
import { startWireServer, type WireServer } from './wire-server.ts';

/** With `BATON_MODEL_CACHE=tenant`, equal requests of a tenant to a real provider share one answer. */

const THEIRS = 'key-of-another-tenant';
const AGENT_ID = 'local.desk.clerk';
const { model } = ADAPTERS.chat;

const MANIFEST = {
  agentId: AGENT_ID,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  toolAllowlist: ['baton:calculate'],
};
const PROMPT = {
  id: 'prompt',
  nodes: [
    {
      id: 'ask',
      typeId: 'core.ai.callPrompt',
      config: { provider: 'chat', model },
      inputs: { prompt: { type: 'variable', variableName: 'question' } },
    },
  ],
  variables: [{ name: 'question', type: 'string' }],
};

const wire: WireServer = await startWireServer();
const config = configOf({ chat: providerAt('chat', wire.baseURL()) });
const models = { ...config, classes: { ...config.classes, general: { provider: 'chat', model } } };
const host = await startTestHost({ models, modelCache: 'tenant', builtinWorkflows: [PROMPT] }, [
  { token: THEIRS, tenant: 'theirs', scopes: ALL_SCOPES },
]);
afterAll(async () => {
  await host.stop();
  await wire.close();
});
for (const options of [{}, { key: THEIRS }])
  expect((await host.post('/v1/agents', { manifest: MANIFEST }, options)).status).toBe(201);
beforeEach(() => {
  wire.requests.length = 0;
});

async function run(body: object, key?: string) {
  const options = { headers: { prefer: 'wait=20' }, ...(key !== undefined && { key }) };
  const { body: ended } = await host.post('/v1/runs', body, options);
  expect(ended.status).toBe('completed');
  const { body: log } = await host.get(`/v1/runs/${ended.runId}/events`, key === undefined ? {} : { key });
  const hits = log.events
    .filter(({ type }: { type: string }) => type === 'provider.usage')
    .map(({ payload }: { payload: { cacheHit?: boolean } }) => payload.cacheHit === true);
  return { variables: ended.variables, hits, events: log.events };
}

const CALCULATE: Scenario = {
  reasoning: 'I count.',
  signature: 'SIGNED',
  calls: [{ id: 'c1', name: 'baton_calculate', input: '{"expression":"6 * 7"}' }],
};

describe('equal requests of a tenant', () => {
  it('share the answers of an agent, tool calls included, and no other tenant does', async () => {
    wire.will(CALCULATE, { text: 'It is 42.' }, { text: 'Theirs.' });
    const body = { agentId: AGENT_ID, inputs: { task: 'Count.' } };
    expect(await run(body)).toMatchObject({ variables: { result: 'It is 42.' }, hits: [false, false] });
    for (let time = 0; time < 2; time += 1)
      expect(await run(body)).toMatchObject({ variables: { result: 'It is 42.' }, hits: [true, true] });
    expect(wire.requests).toHaveLength(2);
    expect(await run(body, THEIRS)).toMatchObject({ variables: { result: 'Theirs.' }, hits: [false] });
    expect(wire.requests).toHaveLength(3);
    const other = { agentId: AGENT_ID, inputs: { task: 'Count again.' } };
    expect(await run(other)).toMatchObject({ variables: { result: 'Theirs.' }, hits: [false] });
  });

  it('share the text of a prompt, and no other tenant does', async () => {
    wire.will({ text: 'Because.' }, { text: 'Theirs.' });
    const body = { workflowId: 'prompt', inputs: { question: 'Why?' } };
    const textOf = (events: readonly { type: string; payload: { outputs?: { text?: string } } }[]) =>
      events.find(({ type }) => type === 'node.completed')?.payload.outputs?.text;
    for (const hit of [false, true, true]) {
      const { hits, events } = await run(body);
      expect([hits, textOf(events)]).toEqual([[hit], 'Because.']);
    }
    expect(wire.requests).toHaveLength(1);
    const { hits, events } = await run(body, THEIRS);
    expect([hits, textOf(events)]).toEqual([[false], 'Theirs.']);
    expect(wire.requests).toHaveLength(2);
  });
});
