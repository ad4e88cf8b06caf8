import { afterAll, describe, expect, it } from 'vitest';
import { ALL_SCOPES, startTestHost } from '../http/host.ts';
import { WORKFLOWS } from '../http/workflows.ts';
import { connect, dataIn, ERAS } from './mcp-client.ts';

/** What the MCP side shows to whom, and what it makes of requests that are wrong. */

const OTHER = 'key-of-another-tenant';
const COLLEAGUE = 'key-of-the-same-tenant';
const STARTER = 'key-that-only-starts';
const READER = 'key-that-only-reads';
const DEMANDING = {
  id: 'demanding',
  nodes: [{ id: 'only', typeId: 'core.noop', config: {} }],
  edges: [],
  variables: [{ name: 'order', type: 'string', required: true }],
};

const settings = {
  publish: ['echo', 'slow', 'gate', 'quick', 'demanding'],
  builtinWorkflows: [...WORKFLOWS, DEMANDING],
};
const host = await startTestHost(settings, [
  { token: OTHER, tenant: 'other', scopes: ALL_SCOPES },
  { token: COLLEAGUE, tenant: 'default', scopes: ALL_SCOPES },
  { token: STARTER, tenant: 'default', scopes: ['runs:create'] },
  { token: READER, tenant: 'default', scopes: ['runs:read'] },
]);
afterAll(() => host.stop());

const ACCEPT = { accept: 'application/json, text/event-stream' };
const rpc = (body: unknown, headers: Record<string, string> = {}, key?: string) =>
  host.post('/v1/mcp', body, { ...(key !== undefined && { key }), headers: { ...ACCEPT, ...headers } });

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe.each(ERAS)('a caller of %s', (era) => {
  it('sees no run of another tenant', async () => {
    const own = await connect(host.url, { era });
    const { runId } = dataIn(
      await own.client.callTool({ name: 'baton_start', arguments: { worker: 'slow' } }),
    );
    const other = await connect(host.url, { era, key: OTHER });
    for (const [tool, more] of [
      ['baton_get', {}],
      ['baton_cancel', {}],
      ['baton_answer', { interruptId: 'x', answer: {} }],
    ] as const) {
      const result = await other.client.callTool({ name: tool, arguments: { runId, ...more } });
      expect(result.isError, tool).toBe(true);
      expect(dataIn(result).error, tool).toEqual({
        code: 'not_found',
        message: `There is no run ${runId} for this caller.`,
      });
    }
    expect((await host.get(`/v1/runs/${runId}`)).body.status).toBe('running');
    await own.client.callTool({ name: 'baton_cancel', arguments: { runId } });
    await Promise.all([own.client.close(), other.client.close()]);
  });

  it('needs the scope of each tool', async () => {
    const { client } = await connect(host.url, { era, key: STARTER });
    const { runId } = dataIn(await client.callTool({ name: 'baton_start', arguments: { worker: 'gate' } }));
    for (const [tool, more] of [
      ['baton_get', {}],
      ['baton_cancel', {}],
      ['baton_answer', { interruptId: 'gate:1:1', answer: { action: 'accept' } }],
    ] as const) {
      const result = await client.callTool({ name: tool, arguments: { runId, ...more } });
      expect(dataIn(result).error.code, tool).toBe('forbidden');
    }
    await client.close();
  });

  it('is not asked a question that it may not answer', async () => {
    const fillIn = () => ({ action: 'accept', content: { action: 'accept' } }) as const;
    const { client, forms } = await connect(host.url, { era, key: STARTER, fillIn });
    const result = await client.callTool({ name: 'gate' });
    expect(dataIn(result)).toMatchObject({ status: 'waiting-approval' });
    expect(forms).toEqual([]);
    await client.close();
  });

  it('is told what is wrong with arguments', async () => {
    const { client } = await connect(host.url, { era });
    const missing = await client.callTool({ name: 'demanding', arguments: {} });
    expect(missing.isError).toBe(true);
    expect(dataIn(missing).error).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('inputs.order'),
    });
    const more = await client.callTool({ name: 'baton_get', arguments: { runId: 'x', more: 1 } });
    expect(dataIn(more).error.code).toBe('validation_error');
    const key = { 'dev.baton/idempotencyKey': 7 };
    const badKey = await client.callTool({ name: 'quick', _meta: key });
    expect(dataIn(badKey).error.message).toContain('1 to 255 characters');
    await client.close();
  });

  it('cannot speak for another host without being its peer', async () => {
    const { client } = await connect(host.url, { era });
    const handoff = {
      worker: 'quick',
      parentRunId: 'r',
      causationId: 'r:1',
      causationHostId: 'elsewhere',
      idempotencyKey: 'k',
      lineage: [],
    };
    const result = await client.callTool({ name: 'quick', _meta: { 'urn:baton:a2a:handoff:1': handoff } });
    expect(dataIn(result).error.code).toBe('forbidden');
    await client.close();
  });
});

describe('a session', () => {
  async function opened(key?: string): Promise<string> {
    const { status, headers } = await rpc(INITIALIZE, {}, key);
    expect(status).toBe(200);
    return headers.get('mcp-session-id') ?? '';
  }
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

  it('is used only with the key that opened it', async () => {
    const id = await opened();
    expect((await rpc(list, { 'mcp-session-id': id })).status).toBe(200);
    for (const key of [COLLEAGUE, OTHER]) {
      const { status, body } = await rpc(list, { 'mcp-session-id': id }, key);
      expect(status).toBe(404);
      expect(body.error.message).toContain('no such session');
      const sending = { key, headers: { 'mcp-session-id': id } };
      expect((await host.send('DELETE', '/v1/mcp', undefined, sending)).status).toBe(404);
    }
  });

  it('ends when its client closes it', async () => {
    const { client, transport } = await connect(host.url);
    const id = transport.sessionId ?? '';
    await transport.terminateSession();
    expect((await rpc(list, { 'mcp-session-id': id })).status).toBe(404);
    await client.close();
  });

  it('is refused beyond the bound of a tenant, which closes unused sessions first', async () => {
    const first = await opened(OTHER);
    for (let count = 0; count < 64; count += 1) await opened(OTHER);
    expect((await rpc(list, { 'mcp-session-id': first }, OTHER)).status).toBe(404);
  });
});

describe('a secret of the tenant', () => {
  it.each(ERAS)('is not told, not even in an error of the protocol (%s)', async (era) => {
    const value = `a-long-secret-value-of-${era}`;
    await host.send('PUT', `/v1/secrets/KEY_${era}`, { value });
    const { client } = await connect(host.url, { era });
    const refused: unknown = await client.callTool({ name: value }).catch((error: unknown) => error);
    expect(String(refused)).toContain('There is no tool');
    expect(String(refused)).not.toContain(value);
    await client.close();
  });
});

describe('requests that are wrong', () => {
  it('are refused, and the host goes on', async () => {
    expect((await rpc({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
    expect((await rpc({ hello: 'world' })).status).toBe(400);
    expect((await rpc([INITIALIZE])).status).toBe(400);
    expect((await host.post('/v1/mcp', undefined, { raw: '{not json' })).status).toBe(400);
    expect((await host.get('/v1/mcp')).status).toBe(400);
    expect((await host.send('DELETE', '/v1/mcp')).status).toBe(400);
    expect((await rpc(INITIALIZE, { 'mcp-session-id': 'made-up' })).status).toBe(404);
    expect((await rpc({ ...INITIALIZE, params: {} })).status).toBe(400);
    expect((await host.send('PUT', '/v1/mcp', {})).status).toBe(405);
    const { client } = await connect(host.url, { era: '2026' });
    expect((await client.listTools()).tools.length).toBeGreaterThan(4);
    await client.close();
  });

  it('are refused without a key that may start runs', async () => {
    expect((await rpc(INITIALIZE, {}, READER)).status).toBe(403);
    expect((await rpc(INITIALIZE, {}, 'no-such-key')).status).toBe(401);
  });
});
