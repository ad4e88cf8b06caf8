import type { StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import { resolveValues } from '../configured-values.ts';
import type { SecretOf } from '../connected-tool.ts';
import type { Fetch } from '../guarded-fetch.ts';
import { hideInText } from '../hidden-values.ts';
import type { Timers } from '../timers.ts';
import type { ConfiguredValues, McpServerConfig } from '../tools-config.ts';

/** The way to one MCP server: a child process or an HTTP address. */
export interface McpTransport {
  readonly transport: Transport;
  /** Values that the server got in confidence. */
  hidden(): readonly string[];
  /** The last lines that a child process wrote to its standard error, without confidential values. */
  lastWords(): string;
  /** Ends the connection and the child process. */
  end(): Promise<void>;
}

export interface McpSurroundings {
  /** For streams: without time-outs of its own. */
  readonly fetch: Fetch;
  readonly secretOf: SecretOf;
  readonly timers: Timers;
}

/** The tenant whose secrets are those of the whole host. A connection serves all tenants. */
const EVERY_TENANT = '*';
const MAX_LAST_WORDS = 500;
/** One message of a server. A larger one ends the connection. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

export async function mcpTransport(
  { connection }: McpServerConfig,
  around: McpSurroundings,
  lost: () => void,
): Promise<McpTransport> {
  if (connection.kind === 'http') return httpTransport(connection, around, lost);
  const { values, hidden } = await resolved(connection.env, around.secretOf);
  return stdioTransport(connection, values, hidden);
}

async function resolved(values: ConfiguredValues, secretOf: SecretOf) {
  const found = await resolveValues(values, EVERY_TENANT, secretOf);
  if ('missing' in found) throw new Error(`the secret "${found.missing}" is not set`);
  return found;
}

async function stdioTransport(
  { command, args, folder }: Extract<McpServerConfig['connection'], { kind: 'stdio' }>,
  env: Readonly<Record<string, string>>,
  hidden: readonly string[],
): Promise<McpTransport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
    maxBufferSize: MAX_MESSAGE_BYTES,
    ...(folder !== undefined && { cwd: folder }),
  });
  let pid: number | null = null;
  let words = '';
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    pid = transport.pid;
  };
  transport.onclose = () => {
    pid = null;
  };
  transport.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-MAX_LAST_WORDS);
  });
  return {
    transport,
    hidden: () => hidden,
    lastWords: () => hideInText(words, hidden).trim(),
    async end() {
      await transport.close();
      // The SDK has sent signals by now. A process that ignores them, or whose end it did not wait for, is killed.
      if (pid !== null) kill(pid);
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}

async function httpTransport(
  { url, headers }: Extract<McpServerConfig['connection'], { kind: 'http' }>,
  { fetch, secretOf, timers }: McpSurroundings,
  lost: () => void,
): Promise<McpTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  let hidden: readonly string[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: async (address, init) => {
      const found = await resolved(headers, secretOf);
      hidden = found.hidden;
      const all = new Headers(init?.headers);
      for (const [name, value] of Object.entries(found.values)) all.set(name, value);
      return fetch(address, { ...init, headers: all });
    },
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 5_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 100,
    },
    // A stream that ended is opened again once. If that fails, the whole connection is lost.
    reconnectionScheduler: (reconnect, delay, attempt) => {
      if (attempt === 0) return timers.after(delay, reconnect);
      lost();
      return undefined;
    },
  });
  failWithStream(transport);
  return { transport, hidden: () => hidden, lastWords: () => '', end: () => transport.close() };
}

/** The code of the error that a request gets when its response ends without an answer. */
export const STREAM_ENDED = -32_099;

/** The SDK would wait for its time-out when the stream of a response ends before the answer. */
function failWithStream(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !('method' in message) || !('id' in message)) return send(message, options);
    if (options?.onRequestStreamEnd !== undefined) return send(message, options);
    const { id } = message;
    const error = { code: STREAM_ENDED, message: 'The response ended without an answer.' };
    // An answer that came before has settled the request, and a second one has no effect.
    const onRequestStreamEnd = () => transport.onmessage?.({ jsonrpc: '2.0', id, error });
    return send(message, { ...options, onRequestStreamEnd });
  };
}
