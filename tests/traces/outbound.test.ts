import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startTestHost } from '../http/host.ts';
import { ADAPTERS, configOf, providerAt } from '../models/asking.ts';
import { startWireServer, type WireServer } from '../models/wire-server.ts';
import { mcpServer, until } from '../tools/connecting.ts';
import { startModernServer } from '../tools/modern-server.ts';
import { verifies } from '../verifies.ts';

/** Every call of an agent to the outside carries the trace of its run. No spans are exported here. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const AGENT = 'local.desk.clerk';
const ticketHeaders: IncomingHttpHeaders[] = [];
const tickets = createServer((request, response) => {
  ticketHeaders.push(request.headers);
  response.setHeader('content-type', 'application/json').end('{"open":true}');
});

const wire: WireServer = await startWireServer();
const mcp: Awaited<ReturnType<typeof startModernServer>> = await startModernServer();
await new Promise<void>((done) => tickets.listen(0, '127.0.0.1', done));
const { port } = tickets.address() as AddressInfo;
const ticket = {
  name: 'ticket',
  method: 'POST',
  url: `http://127.0.0.1:${port}/tickets`,
  headers: {},
  parameters: { type: 'object' },
  repeatable: 'no',
  approval: false,
  scopes: [],
  private: true,
  timeoutMs: 10_000,
} as const;
const config = configOf({ chat: providerAt('chat', wire.baseURL()) });
const target = { provider: 'chat', model: ADAPTERS.chat.model };
const host = await startTestHost({
  models: { ...config, classes: { ...config.classes, general: target } },
  tools: {
    mcp: [mcpServer('modern', { kind: 'http', url: mcp.url, headers: {} })],
    http: [ticket],
    limits: [],
  },
});
afterAll(async () => {
  await host.stop();
  await mcp.stop();
  await wire.close();
  await new Promise((done) => tickets.close(done));
});
const manifest = {
  agentId: AGENT,
  persona: 'Clerk',
  modelClass: 'general',
  systemPrompt: 'You are a clerk.',
  toolAllowlist: ['mcp:modern/look', 'http:ticket'],
};
expect((await host.post('/v1/agents', { manifest })).status).toBe(201);
await until(
  async () => (await host.get('/v1/agents')).body.agents[0],
  (agent) => (agent.degradedTools ?? []).length === 0,
);
beforeEach(() => {
  wire.requests.length = 0;
  mcp.calls.length = 0;
  ticketHeaders.length = 0;
  wire.will(
    {
      calls: [
        { id: 'c1', name: 'modern_look', input: '{}' },
        { id: 'c2', name: 'http_ticket', input: '{}' },
      ],
    },
    { text: 'Done.' },
  );
});

/** The `traceparent` of every call that left the host. */
function sent(): readonly unknown[] {
  const [look] = mcp.calls;
  expect(look?.meta.traceparent).toBe(look?.headers.traceparent);
  return [
    ...wire.requests.map(({ headers }) => headers.traceparent),
    look?.meta.traceparent,
    ticketHeaders[0]?.traceparent,
  ];
}

async function run(headers: Record<string, string>) {
  const body = { agentId: AGENT, inputs: { task: 'Look.' } };
  const made = await host.post('/v1/runs', body, { headers: { prefer: 'wait=20', ...headers } });
  expect(made.body).toMatchObject({ status: 'completed' });
  return made.body;
}

it('sends the trace of the caller to models, MCP servers and HTTP tools, with a span for each call', async () => {
  verifies('XHOST-05');
  expect((await run({ traceparent: TRACEPARENT })).traceId).toBe(TRACE);
  const all = sent();
  expect(all).toHaveLength(4);
  for (const one of all) expect(one).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  expect(new Set([...all, TRACEPARENT]).size).toBe(5);
});

it('adopts the trace of a message to an agent', async () => {
  const body = { message: 'Look.' };
  const headers = { traceparent: TRACEPARENT.replace(/01$/, '00') };
  const { status } = await host.post(`/v1/agents/${AGENT}/messages`, body, { headers });
  expect(status).toBeLessThan(300);
  for (const one of sent()) expect(one).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
});

it.each<Record<string, string>>([{}, { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` }])(
  'sends the trace that was made for the run, where the caller has none that counts: %j',
  async (headers) => {
    const { traceId, traceparent } = await run(headers);
    expect(traceparent).toBeUndefined();
    expect(traceId).not.toBe(TRACE);
    for (const one of sent()) expect(one).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  },
);
