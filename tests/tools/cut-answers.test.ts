import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, mcpServer, toolCall } from './connecting.ts';

/** A server of the 2025 version without streams that can be resumed, whose answer to a call ends too early. */

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const TOOL = { name: 'work', inputSchema: { type: 'object' } };

async function start(answerCall: (response: ServerResponse) => void) {
  let calls = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body) as {
      id?: number;
      method: string;
      params?: { protocolVersion?: string };
    };
    const say = (result: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') {
      const serverInfo = { name: 'cutting', version: '1' };
      say({ protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === 'tools/list') say({ tools: [TOOL] });
    else if (method === 'tools/call') {
      calls += 1;
      answerCall(response);
    } else response.writeHead(400).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  ending.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { tools } = connect({ mcp: [mcpServer('cutting', { kind: 'http', url, headers: {} })] });
  ending.push(() => tools.stop());
  await tools.surface('acme', ['mcp:cutting/*']);
  return { tools, calls: () => calls };
}

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });

describe('an answer that ends before the result', () => {
  it.each<[string, (response: ServerResponse) => void]>([
    ['with an end of the stream', (response) => stream(response).end(': nothing\n\n')],
    [
      'with a cut within the stream',
      (response) => stream(response).write('data: {"jsonrpc"', () => response.destroy()),
    ],
    ['with a cut before its head', (response) => response.destroy()],
    ['with an error of a proxy', (response) => response.writeHead(502).end('Bad gateway')],
  ])('%s leaves the outcome unknown, and the call is not repeated', async (_, answer) => {
    const { tools, calls } = await start(answer);
    await expect(tools.call(toolCall('mcp:cutting/work'))).resolves.toMatchObject({
      status: 'error',
      error: { code: 'tool_outcome_unknown' },
    });
    expect(calls()).toBe(1);
  });
});
