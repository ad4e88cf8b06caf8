import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from '../http/host.ts';

/** The endpoints of conformance suites for live agents and tools. They drive the code of the product. */
const host = await sharedHost({ testSeams: true });
afterAll(() => host.stop());

const sample = (path: string, body: object) => host.post(`/v1/host/sample/${path}`, body);

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
async function agentTypes(runId: string): Promise<any[]> {
  const { body } = await host.get(`/v1/host/sample/test/runs/${runId}/events`);
  return body.events.filter(({ type }: { type: string }) => type.startsWith('agent.'));
}

describe('the seams of live agents', () => {
  it('SCEN-16 LIVE-23 CAP-10 enclose an invocation by its two events', async () => {
    const { body } = await sample('agents/live-invoke', { source: 'run-api' });
    const events = await agentTypes(body.runId);
    const [first, last] = [events[0], events.at(-1)];
    expect([first.type, last.type]).toEqual(['agent.invocation.started', 'agent.invocation.completed']);
    expect(first.payload.invocationId).toBe(last.payload.invocationId);
    expect(last.payload.outcome).toBe('completed');
    const forbidden = [
      'prompt',
      'result',
      'body',
      'input',
      'output',
      'apiKey',
      'secret',
      'credentials',
      'token',
    ];
    const keys = [first, last].flatMap(({ payload }) => Object.keys(payload));
    expect(keys.filter((key) => forbidden.includes(key))).toEqual([]);
  });

  it('FAIL-08 fail a result that does not fit', async () => {
    const asked = {
      source: 'run-api',
      returnSchemaRef: 'conformance-strict-handoff',
      forceInvalidResult: true,
    };
    const { body } = await sample('agents/live-invoke', asked);
    const last = (await agentTypes(body.runId)).at(-1);
    expect(last.payload).toMatchObject({ outcome: 'failed', schemaValidated: false });
    expect(body.status).toBe('failed');
  });

  it('FAIL-07 never call a tool outside the list', async () => {
    const asked = { source: 'run-api', attemptTool: 'conformance-disallowed-tool' };
    const { body } = await sample('agents/live-invoke', asked);
    const types = (await agentTypes(body.runId)).map(({ type }) => type);
    expect(types).not.toContain('agent.toolCalled');
    expect(body.status).toBe('completed');
  });

  it('dispatch a registered agent', async () => {
    const agentId = 'local.desk.dispatched';
    const manifest = {
      agentId,
      persona: 'D',
      modelClass: 'general',
      systemPrompt: 'x',
      baton: { script: [{ text: 'ok' }] },
    };
    await host.post('/v1/agents', { manifest });
    const { body } = await sample(`agents/${agentId}/dispatch`, {
      task: {},
      validateHandoff: false,
      availableTools: [],
    });
    expect(body.status).toBe('completed');
    const types = body.events.map(({ type }: { type: string }) => type);
    expect(types).toEqual(expect.arrayContaining(['agent.reasoned', 'agent.decided']));
    expect(body.events.every((event: { agentId: string }) => event.agentId === agentId)).toBe(true);
  });
});

describe('the seam of tool hooks', () => {
  const call = (more: object) =>
    sample('toolhooks/invoke', { principal: 'ana', toolName: 't', args: { q: 1 }, ...more });

  it('tells a call without its arguments', async () => {
    const { body, text } = await call({ args: { apiKey: 'CANARY-key-123456' } });
    expect(body.toolCalled.argsHash).toMatch(/^[0-9a-f]{64}$/);
    expect(body.toolReturned.status).toBe('ok');
    expect(body.toolReturned.durationMs).toBeGreaterThanOrEqual(0);
    expect(text).not.toContain('CANARY');
  });

  it('refuses a principal without the scopes, and calls nothing', async () => {
    const { body } = await call({ requiredScopes: ['host:operate'] });
    expect(body.toolReturned.status).toBe('forbidden');
    expect(body.toolReturned).not.toHaveProperty('durationMs');
  });

  it('tells an exhausted limit and a failure as what they are', async () => {
    expect((await call({ simulateRateLimitExhausted: true })).body.toolReturned.status).toBe('rate_limited');
    const { toolReturned } = (await call({ simulateToolError: true })).body;
    expect(toolReturned).toMatchObject({ status: 'error', error: { code: expect.any(String) } });
    expect(toolReturned).not.toHaveProperty('outcome');
  });
});
