import type { AgentManifest } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, sharedHost } from '../http/host.ts';
import { verifies } from '../verifies.ts';

/** A manifest agent through a real host: a node, the root of a run, a message. */

const ID = 'local.desk.clerk';
const OTHER_KEY = 'key-of-another-tenant';

const manifest = (more: Partial<AgentManifest> = {}): AgentManifest => ({
  agentId: ID,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'CANARY-PROMPT You are a clerk.',
  toolAllowlist: ['baton:calculate'],
  memoryShape: { longTerm: true },
  requiresCapabilities: ['workspace', 'host.teleport'],
  baton: {
    script: [
      { reasoning: 'I count.', calls: [{ tool: 'baton_calculate', input: { expression: '6 * 7' } }] },
      { text: 'It is 42.' },
    ],
  },
  ...more,
});
const host = await sharedHost({ testSeams: true }, [
  { token: OTHER_KEY, tenant: 'other', scopes: ALL_SCOPES },
]);
afterAll(() => host.stop());
expect((await host.post('/v1/agents', { manifest: manifest() })).status).toBe(201);

it('shows the tools of an agent, with what a call needs, and those that the host does not have', async () => {
  const agentId = 'local.desk.porter';
  const toolAllowlist = ['baton:calculate', 'mcp:cellar/open'];
  await host.post('/v1/agents', { manifest: manifest({ agentId, toolAllowlist }) });
  expect((await host.get(`/v1/agents/${agentId}/tools`)).body).toMatchObject({
    tools: [{ id: 'baton:calculate', transport: 'native', scopes: [], approval: false, repeatable: 'yes' }],
    missing: ['mcp:cellar/open'],
  });
  expect((await host.get('/v1/agents/local.desk.nobody/tools')).status).toBe(404);
  expect((await host.get(`/v1/agents/${agentId}/tools`, { key: OTHER_KEY })).status).toBe(404);
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
async function eventsOf(runId: string): Promise<any[]> {
  return (await host.get(`/v1/runs/${runId}/events/poll?limit=200`)).body.events;
}

async function family(runId: string): Promise<readonly string[]> {
  const events = await eventsOf(runId);
  const scoped = events.filter(({ type }) => type.startsWith('agent.'));
  return scoped.map(({ type, payload }) => `${type} ${payload.status ?? payload.outcome ?? ''}`.trim());
}

const FAMILY = [
  'agent.invocation.started',
  'agent.promptResolved',
  'agent.reasoning.delta',
  'agent.reasoned',
  'agent.toolCalled',
  'agent.toolReturned ok',
  'agent.reasoned',
  'agent.decided',
  'agent.invocation.completed completed',
];

describe('an agent', () => {
  it('is the root of a run, a node, and the partner of a conversation, with the same events', async () => {
    verifies('LIVE-24', 'LIVE-27', 'LIVE-28', 'LIVE-29', 'LIVE-30');
    const root = await host.post(
      '/v1/runs',
      { agentId: ID, inputs: { task: 'Count.' } },
      { headers: { prefer: 'wait=20' } },
    );
    expect(root.body).toMatchObject({ status: 'completed', variables: { result: 'It is 42.' } });
    await host.post('/v1/workflows', {
      id: 'with-clerk',
      nodes: [
        {
          id: 'ask',
          typeId: 'core.agent',
          agent: { agentId: ID },
          inputs: { task: { type: 'static', value: 'Count.' } },
        },
      ],
    });
    const node = await host.run('with-clerk');
    expect(node.body).toMatchObject({ status: 'completed' });
    const message = await host.post(`/v1/agents/${ID}/messages`, { message: 'Count.' });
    expect(message.body).toMatchObject({ status: 'completed', reply: 'It is 42.' });
    const families = await Promise.all([root, node, message].map(({ body }) => family(body.runId)));
    expect(families).toEqual([FAMILY, FAMILY, FAMILY]);
    const sources = await Promise.all(
      [root, node, message].map(async ({ body }) => {
        const first = (await eventsOf(body.runId)).find(({ type }) => type === 'agent.invocation.started');
        return first.payload.source;
      }),
    );
    expect(sources).toEqual(['run-api', 'workflow-node', 'chat-mention']);
  });

  it('is told the earlier turns of its conversation', async () => {
    const first = await host.post(`/v1/agents/${ID}/messages`, { message: 'One?', conversationId: 'c1' });
    const second = await host.post(`/v1/agents/${ID}/messages`, { message: 'Two?', conversationId: 'c1' });
    expect(first.body.runId).not.toBe(second.body.runId);
    const run = await host.get(`/v1/runs/${second.body.runId}`);
    expect(run.body.inputs.history).toEqual([
      { role: 'user', content: 'One?' },
      { role: 'assistant', content: 'It is 42.' },
    ]);
  });

  it('LIVE-06 LIVE-22 is in the inventory without its prompt, with what it lacks here', async () => {
    const { body, text } = await host.get(`/v1/agents/${ID}`);
    expect(body).toMatchObject({
      agentId: ID,
      label: 'Clerk',
      degraded: ['host.teleport'],
      hasHandoffSchemas: false,
    });
    expect(text).not.toContain('CANARY-PROMPT');
    const list = await host.get('/v1/agents');
    expect(list.body.total).toBe(list.body.agents.length);
    expect((await host.get('/v1/workflows')).text).not.toContain('agent:');
    expect((await host.get(`/v1/workflows/agent:${ID}`)).status).toBe(404);
  });

  it('LIVE-31 is not known to another tenant', async () => {
    const key = OTHER_KEY;
    expect((await host.get(`/v1/agents/${ID}`, { key })).status).toBe(404);
    expect((await host.post('/v1/runs', { agentId: ID }, { key })).status).toBe(404);
    expect((await host.post(`/v1/agents/${ID}/messages`, { message: 'Hi' }, { key })).status).toBe(404);
    expect((await host.get('/v1/agents', { key })).body.total).toBe(0);
  });

  it.each([
    ['no id at all', {}],
    ['two ids', { workflowId: 'noop', agentId: ID }],
    ['an id that is none', { agentId: 'clerk' }],
  ])('cannot be run with %s', async (_, body) => {
    expect((await host.post('/v1/runs', body)).status).toBe(400);
  });

  it.each([
    ['no prompt', { systemPrompt: undefined }],
    ['a prompt file that is not there', { systemPrompt: undefined, systemPromptRef: 'prompts/none.md' }],
    ['a schema that is not there', { handoff: { taskSchemaRef: 'none.json' } }],
    ['an id outside the namespaces', { agentId: 'host:clerk' }],
    ['more than a definition may hold', { baton: { script: Array(20).fill({ text: 'x'.repeat(60_000) }) } }],
  ])('is refused with %s', async (_, more) => {
    const given = JSON.parse(JSON.stringify({ manifest: { ...manifest(), ...more } }));
    const { status, body } = await host.post('/v1/agents', given);
    expect([status, body.error]).toEqual([400, 'validation_error']);
  });

  it('LIVE-01 is advertised with what really holds', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect(body.agents.liveRuntime).toMatchObject({ supported: true, structuredOutput: true });
    expect(body.agents.manifestRuntime.supported).toBe(true);
  });
});
