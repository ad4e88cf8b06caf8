import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentManifest } from '@baton/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';

/** A host that makes none of the checks that an operator can switch off. What is left holds unconditionally. */

const OTHER_KEY = 'key-of-another-tenant';
const LESSER_KEY = 'key-that-may-not-write';
const HIDDEN = 'CANARY-NOTE';

const manifest = (name: string, script: readonly object[], more: Partial<AgentManifest> = {}) => ({
  agentId: `local.floor.${name}`,
  persona: name,
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  toolAllowlist: ['http:count'],
  ...more,
  baton: { script, ...more.baton },
});
/** The requests that the tool has received. */
const received: string[] = [];

const server: Server = createServer((request, response) => {
  received.push(request.url ?? '');
  response.end('"counted"');
});
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const { port } = server.address() as AddressInfo;
const http = (name: string, scopes: readonly string[]) => ({
  name,
  method: 'GET' as const,
  url: `http://127.0.0.1:${port}/${name}`,
  headers: {},
  parameters: { type: 'object' },
  repeatable: 'yes' as const,
  approval: false,
  scopes,
  private: true,
  timeoutMs: 10_000,
});
const tools = { mcp: [], http: [http('count', ['workspace:write']), http('other', [])], limits: [] };
const host = await startTestHost({ agentChecks: [], tools }, [
  { token: OTHER_KEY, tenant: 'other', scopes: ALL_SCOPES },
  { token: LESSER_KEY, tenant: 'default', scopes: ['runs:create', 'runs:read'] },
]);
afterAll(async () => {
  await host.stop();
  server.close();
});

async function register(given: object, { key, ...files }: Record<string, unknown> = {}): Promise<void> {
  const sending = typeof key === 'string' ? { key } : {};
  expect((await host.post('/v1/agents', { manifest: given, files }, sending)).status).toBe(201);
}

interface Asking {
  readonly key?: string;
  readonly inputs?: object;
  readonly scopeId?: string;
}

/** Runs the agent to its end and returns the run with its events. */
async function invoked(agentId: string, { key, ...body }: Asking = {}) {
  const sending = { headers: { prefer: 'wait=20' }, ...(key !== undefined && { key }) };
  const run = await host.post('/v1/runs', { agentId, inputs: { task: 'Work.' }, ...body }, sending);
  expect(run.status).toBe(201);
  const page = await host.get(`/v1/runs/${run.body.runId}/events/poll?limit=200`, sending);
  return { run: run.body, events: page.body.events as readonly { type: string; payload: never }[] };
}

const ofType = (events: readonly { type: string; payload: never }[], type: string) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload as Record<string, unknown>);

describe('a host without the optional checks', () => {
  it('CAP-10 CAP-11 LIVE-01 says so, and does not make them', async () => {
    const { body } = await host.get('/.well-known/openwop');
    expect(body.agents.manifestRuntime).toMatchObject({ supported: true, handoffValidation: true });
    expect(body.agents.liveRuntime).toEqual({
      supported: true,
      structuredOutput: false,
      confidenceEscalation: false,
      sources: ['workflow-node', 'run-api', 'chat-mention'],
    });
    expect(body.capabilities.agents).toEqual(body.agents);
    const needs = ['agents.liveRuntime.structuredOutput', 'agents.liveRuntime'];
    await register(
      {
        ...manifest('free', [{ json: { confidence: 0.1 } }], { requiresCapabilities: needs }),
        handoff: { returnSchemaRef: 'return.json' },
      },
      { 'return.json': { type: 'object', required: ['text'] } },
    );
    const entry = await host.get('/v1/agents/local.floor.free');
    expect(entry.body.degraded).toEqual(['agents.liveRuntime.structuredOutput']);
    const { run, events } = await invoked('local.floor.free');
    expect(run.status).toBe('completed');
    expect(ofType(events, 'agent.invocation.completed')).toEqual([
      expect.not.objectContaining({ schemaValidated: expect.anything() }),
    ]);
  });

  it('LIVE-33 LIVE-07 1. calls no tool outside the list of the agent', async () => {
    const before = received.length;
    const script = [{ calls: [{ tool: 'http_other', input: {} }] }, { text: 'Done.' }];
    await register(manifest('roamer', script, { toolAllowlist: ['http:count'] }));
    const { run, events } = await invoked('local.floor.roamer');
    expect(run.status).toBe('completed');
    expect(received).toHaveLength(before);
    expect(ofType(events, 'agent.toolCalled')).toEqual([]);
  });

  it('LIVE-33 LIVE-15 2. refuses a task that does not fit before a model is asked', async () => {
    await register(
      { ...manifest('picky', [{ text: 'Done.' }]), handoff: { taskSchemaRef: 'task.json' } },
      { 'task.json': { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } },
    );
    const { run, events } = await invoked('local.floor.picky');
    expect(run.error.code).toBe('handoff_task_schema_violation');
    expect(
      ofType(events, 'baton.effect.intended').map(({ effect }) => (effect as { kind: string }).kind),
    ).toEqual(['agent.prepare']);
    expect((await invoked('local.floor.picky', { inputs: { text: 'Work.' } })).run.status).toBe('completed');
  });

  it('LIVE-33 LIVE-31 3. keeps agents, memory and the runs that they start within their tenant', async () => {
    const keeper = (note: string) =>
      manifest(
        'keeper',
        [
          { when: 'Keep', calls: [{ tool: 'remember', input: { text: note } }] },
          { when: 'Hand', calls: [{ tool: 'handoff_to_local_floor_helper', input: { task: 'Help.' } }] },
          { text: 'Done.' },
        ],
        { memoryShape: { longTerm: true }, baton: { handoffs: [{ agentId: 'local.floor.helper' }] } },
      );
    await register(keeper(HIDDEN));
    await register(keeper('Another note.'), { key: OTHER_KEY });
    await register(manifest('helper', [{ text: 'Helped.' }]));
    const asked = (task: string, key?: string) =>
      invoked('local.floor.keeper', {
        inputs: { task },
        scopeId: 'shared',
        ...(key !== undefined && { key }),
      });
    await asked('Keep it.');
    await asked('Keep it.', OTHER_KEY);
    expect(JSON.stringify((await asked('Recall it.')).events)).toContain(HIDDEN);
    expect(JSON.stringify((await asked('Recall it.', OTHER_KEY)).events)).not.toContain(HIDDEN);
    const handed = await asked('Hand it over.');
    const [dispatched] = ofType(handed.events, 'node.dispatched');
    expect(handed.run.variables.result).toBe('Helped.');
    const child = `/v1/runs/${dispatched?.childRunId}`;
    expect((await host.get(child)).status).toBe(200);
    expect((await host.get(child, { key: OTHER_KEY })).status).toBe(404);
    expect((await host.get('/v1/agents/local.floor.helper', { key: OTHER_KEY })).status).toBe(404);
    // The other tenant has no helper, so there is nothing that its agent could hand work to.
    const alone = await asked('Hand it over.', OTHER_KEY);
    expect(ofType(alone.events, 'node.dispatched')).toEqual([]);
  });

  it('LIVE-33 LIVE-32 4. takes the words of a model as words: a refusal is a refusal', async () => {
    await register(manifest('refuser', [{ refusal: 'I will not.' }, { text: 'Well then.' }]));
    const { run, events } = await invoked('local.floor.refuser');
    expect(run.status).toBe('failed');
    expect(ofType(events, 'agent.invocation.completed')).toMatchObject([{ outcome: 'refused' }]);
    expect(ofType(events, 'agent.decided')).toEqual([]);
    expect(JSON.stringify(events)).not.toContain('Well then.');
  });

  it('LIVE-33 LIVE-08 5. calls no tool whose scopes the run does not have', async () => {
    const before = received.length;
    await register(manifest('clerk', [{ calls: [{ tool: 'http_count', input: {} }] }, { text: 'Done.' }]));
    const { events } = await invoked('local.floor.clerk', { key: LESSER_KEY });
    expect(received).toHaveLength(before);
    const [returned] = ofType(events, 'agent.toolReturned');
    expect(returned).toMatchObject({ status: 'forbidden' });
    expect(returned).not.toHaveProperty('durationMs');
    await invoked('local.floor.clerk');
    expect(received).toHaveLength(before + 1);
  });
});
