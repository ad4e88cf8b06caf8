import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

/** An MCP server of the 2026 version, in this process. It keeps what it got with each call. */

interface GotCall {
  readonly tool: string;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export async function startModernServer() {
  const calls: GotCall[] = [];
  const names = ['look', 'change'];
  let headers: GotCall['headers'] = {};
  let waiting: () => void = () => undefined;
  const anything = fromJsonSchema<Record<string, unknown>>({ type: 'object' });

  const handler = createMcpHandler(
    () => {
      const server = new McpServer(
        { name: 'modern', version: '1' },
        { capabilities: { tools: { listChanged: true } } },
      );
      for (const tool of names) {
        const annotations = tool === 'look' ? { readOnlyHint: true } : {};
        server.registerTool(tool, { inputSchema: anything, annotations }, async (_input, { mcpReq }) => {
          calls.push({ tool, meta: { ...mcpReq._meta }, headers });
          if (tool === 'wait')
            await new Promise<void>((done) => mcpReq.signal.addEventListener('abort', () => done()));
          if (tool === 'wait') waiting();
          return { content: [{ type: 'text', text: `${tool} done` }] };
        });
      }
      return server;
    },
    { legacy: 'reject' },
  );
  const serve = toNodeHandler(handler);
  const http = createServer((request, response) => {
    headers = request.headers;
    void serve(request, response);
  });
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done));
  const { port } = http.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    /** Resolves when a call of the tool `wait` was cancelled. */
    cancelled: new Promise<void>((done) => {
      waiting = done;
    }),
    addTool(name: string) {
      names.push(name);
      handler.notify.toolsChanged();
    },
    /** Cuts all connections, as a proxy does that is restarted. */
    cut: () => http.closeAllConnections(),
    async stop() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((done) => http.close(done));
    },
  };
}
