import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, mcpServer, toolCall, until } from './connecting.ts';
import { startModernServer } from './modern-server.ts';

/** An MCP server of the 2026 version. */

const CANARY = 'canary-5f1c09a7';
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let server: Awaited<ReturnType<typeof startModernServer>>;
let made: ReturnType<typeof connect>;

beforeEach(async () => {
  server = await startModernServer();
  const headers = {
    authorization: { kind: 'env', text: CANARY, prefix: 'Bearer ' },
    'x-team': { kind: 'plain', text: 'tides' },
  } as const;
  made = connect({ mcp: [mcpServer('modern', { kind: 'http', url: server.url, headers })] });
});
afterEach(async () => {
  await made.tools.stop();
  await server.stop();
});

describe('a server of the 2026 version', () => {
  it('gets the trace, the key and the configured headers with each call', async () => {
    const { tools } = made;
    await expect(tools.surface('acme', ['mcp:modern/*'])).resolves.toMatchObject({
      tools: [
        { id: 'mcp:modern/change', repeatable: 'unknown' },
        { id: 'mcp:modern/look', repeatable: 'yes' },
      ],
      degraded: [],
    });
    const call = toolCall('mcp:modern/look', { at: 1 }, { key: 'run-7:n:1:1:2', traceparent: TRACEPARENT });
    await expect(tools.call(call)).resolves.toEqual({ status: 'ok', output: 'look done' });
    expect(server.calls).toHaveLength(1);
    expect(server.calls[0]!.meta).toMatchObject({
      traceparent: TRACEPARENT,
      'dev.baton/idempotencyKey': 'run-7:n:1:1:2',
    });
    expect(server.calls[0]!.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      traceparent: TRACEPARENT,
      authorization: `Bearer ${CANARY}`,
      'x-team': 'tides',
    });
  });

  it('tells that its tools have changed, also after its stream was cut', async () => {
    const { tools } = made;
    const ids = async () => (await tools.surface('acme', ['mcp:modern/*'])).tools.map(({ id }) => id);
    await expect(ids()).resolves.toEqual(['mcp:modern/change', 'mcp:modern/look']);
    server.addTool('added');
    await expect(until(ids, (found) => found.length === 3)).resolves.toContain('mcp:modern/added');
    server.cut();
    server.addTool('later');
    await expect(until(ids, (found) => found.length === 4)).resolves.toContain('mcp:modern/later');
  });

  it('is told when a call is no longer awaited', async () => {
    const { tools } = made;
    server.addTool('wait');
    await until(
      () => tools.surface('acme', ['mcp:modern/wait']),
      ({ degraded }) => degraded.length === 0,
    );
    const cancel = new AbortController();
    const calling = tools.call(toolCall('mcp:modern/wait', {}, { signal: cancel.signal }));
    await until(
      () => server.calls.length,
      (calls) => calls === 1,
    );
    cancel.abort();
    await expect(calling).resolves.toMatchObject({ status: 'error' });
    await expect(server.cancelled).resolves.toBe(undefined);
  });

  it('that cuts the connection during a call leaves its outcome unknown, and the call is not repeated', async () => {
    const { tools } = made;
    server.addTool('wait');
    await until(
      () => tools.surface('acme', ['mcp:modern/wait']),
      ({ degraded }) => degraded.length === 0,
    );
    const calling = tools.call(toolCall('mcp:modern/wait'));
    await until(
      () => server.calls.length,
      (calls) => calls === 1,
    );
    server.cut();
    await expect(calling).resolves.toMatchObject({
      status: 'error',
      error: { code: 'tool_outcome_unknown' },
    });
    await expect(
      until(
        () => tools.call(toolCall('mcp:modern/look')),
        ({ status }) => status === 'ok',
      ),
    ).resolves.toMatchObject({ output: 'look done' });
    expect(server.calls.filter(({ tool }) => tool === 'wait')).toHaveLength(1);
  });
});
