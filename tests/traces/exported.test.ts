import type { HostSettings } from '@baton/server';
import { expect, it, onTestFinished } from 'vitest';
import {
  boss,
  hand,
  node,
  TERMINATE,
  worker,
  workflow,
} from '../../packages/conformance/src/testkit/workflows.ts';
import { startTestHost, type TestHost } from '../http/host.ts';
import { ADAPTERS, configOf, providerAt } from '../models/asking.ts';
import { startWireServer } from '../models/wire-server.ts';
import { mcpServer, until } from '../tools/connecting.ts';
import { startModernServer } from '../tools/modern-server.ts';
import { verifies } from '../verifies.ts';
import { type Collector, type ReceivedSpan, startCollector, traceSettings } from './collector.ts';

/** A real host, and a collector that it sends its spans to. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLERS_SPAN = '00f067aa0ba902b7';
const headers = { traceparent: `00-${TRACE}-${CALLERS_SPAN}-01`, prefer: 'wait=20' };

/** A collector, and a host that sends its spans there. `stop` also sends the spans that wait. */
async function exporting(
  settings: Partial<HostSettings> = {},
  protocol?: 'http/json' | 'http/protobuf',
): Promise<{ readonly collector: Collector; readonly host: TestHost; stop(): Promise<void> }> {
  const collector = await startCollector();
  onTestFinished(collector.stop);
  const host = await startTestHost({ traces: traceSettings(collector.url, protocol), ...settings });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= host.stop());
  onTestFinished(stop);
  return { collector, host, stop };
}

const named = (spans: readonly ReceivedSpan[], name: string) => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`no ${name} among ${spans.map((span) => span.name)}`);
  return found;
};

it('XHOST-17 exports a parent and its child as one trace, below the span of the caller', async () => {
  const { collector, host, stop } = await exporting({
    builtinWorkflows: [boss([hand('helper'), TERMINATE]), worker('helper')],
  });
  const { body } = await host.post('/v1/runs', { workflowId: 'boss' }, { headers });
  expect(body).toMatchObject({ status: 'completed', traceId: TRACE });
  await stop();
  const { spans, messages } = collector;
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  const parent = named(spans, 'invoke_workflow boss');
  const dispatch = named(spans, 'node dispatch');
  const handoff = named(spans, 'handoff helper');
  const child = named(spans, 'invoke_workflow helper');
  expect(parent.parentSpanId).toBe(CALLERS_SPAN);
  expect(dispatch.parentSpanId).toBe(parent.spanId);
  expect(handoff.parentSpanId).toBe(dispatch.spanId);
  expect(child.parentSpanId).toBe(handoff.spanId);
  expect(messages[0]?.headers['x-team']).toBe('tides');
  expect(messages[0]?.body.toString()).toContain('{"key":"service.name","value":{"stringValue":"desk"}}');
});

it('shows the calls of an agent with the ids that the other side was given, and without their contents', async () => {
  verifies('XHOST-05');
  const [wire, mcp] = [await startWireServer(), await startModernServer()];
  onTestFinished(wire.close);
  onTestFinished(mcp.stop);
  const config = configOf({ chat: providerAt('chat', wire.baseURL()) });
  const target = { provider: 'chat', model: ADAPTERS.chat.model };
  const { collector, host } = await exporting({
    models: { ...config, classes: { ...config.classes, general: target } },
    tools: { mcp: [mcpServer('modern', { kind: 'http', url: mcp.url, headers: {} })], http: [], limits: [] },
  });
  const manifest = {
    agentId: 'local.desk.clerk',
    persona: 'Clerk',
    modelClass: 'general',
    systemPrompt: 'CANARY prompt.',
    toolAllowlist: ['mcp:modern/look'],
  };
  await host.post('/v1/agents', { manifest });
  wire.will(
    { reasoning: 'CANARY', calls: [{ id: 'c1', name: 'modern_look', input: '{"at":"CANARY"}' }] },
    { text: 'CANARY answer', usage: { input: 50, output: 10 } },
  );
  const asked = { agentId: 'local.desk.clerk', inputs: { task: 'CANARY' } };
  expect((await host.post('/v1/runs', asked, { headers })).body).toMatchObject({ status: 'completed' });
  await until(
    () => collector.spans,
    (spans) => spans.some(({ name }) => name.startsWith('invoke_workflow')),
  );
  const { spans } = collector;
  const agent = named(spans, 'invoke_agent local.desk.clerk');
  const tool = named(spans, 'execute_tool mcp:modern/look');
  const chats = spans.filter(({ name }) => name === `chat ${ADAPTERS.chat.model}`);
  expect([tool, ...chats].map(({ parentSpanId }) => parentSpanId)).toEqual(Array(3).fill(agent.spanId));
  expect(mcp.calls[0]?.meta.traceparent).toBe(`00-${TRACE}-${tool.spanId}-01`);
  expect(wire.requests.map((request) => request.headers.traceparent)).toEqual(
    chats.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
  );
  expect(
    Object.fromEntries(chats[1]!.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
  ).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'chat',
    'gen_ai.request.model': ADAPTERS.chat.model,
    'gen_ai.usage.input_tokens': 50,
    'gen_ai.usage.output_tokens': 10,
  });
  expect(JSON.stringify(spans)).not.toContain('CANARY');
});

it('sends protobuf where the operator wants it', async () => {
  const { collector, host, stop } = await exporting({}, 'http/protobuf');
  await host.run('quick');
  await stop();
  expect(collector.messages[0]?.headers['content-type']).toBe('application/x-protobuf');
  expect(collector.messages[0]?.body.includes('invoke_workflow quick')).toBe(true);
});

it('goes on without a collector, and counts what is lost', async () => {
  const { collector, host } = await exporting();
  collector.will(400);
  expect((await host.run('quick')).body).toMatchObject({ status: 'completed' });
  const lost = await until(
    async () => (await host.get('/metrics')).text,
    (text) => /baton_spans_total\{result="failed"\} [1-9]/.test(text),
  );
  expect(lost).not.toContain('result="exported"');
});

it('tells of its spans only where it exports them', async () => {
  const { host, stop } = await exporting();
  const otel = { exportProtocols: ['http/json', 'http/protobuf'] };
  const told = (await host.get('/.well-known/openwop')).body;
  expect([told.observability, told.capabilities.observability]).toEqual([{ otel }, { otel }]);
  await stop();
  const silent = await startTestHost();
  onTestFinished(() => silent.stop());
  expect((await silent.get('/.well-known/openwop')).body).not.toHaveProperty('observability');
});

it('replaces a value that became a secret', async () => {
  const gated = workflow('gated', [node('gate-hunter2hunter2', 'core.approvalGate', { title: 'Go on?' })]);
  const { collector, host, stop } = await exporting({ builtinWorkflows: [gated] });
  const { body } = await host.run('gated');
  expect((await host.send('PUT', '/v1/secrets/LATE', { value: 'hunter2hunter2' })).status).toBeLessThan(300);
  expect((await host.post(`/v1/runs/${body.runId}/cancel`)).status).toBeLessThan(300);
  await stop();
  expect(JSON.stringify(collector.spans)).toContain('gate-[REDACTED:LATE]');
  expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
});
