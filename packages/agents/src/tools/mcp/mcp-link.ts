import type { ToolCall } from '@baton/engine/ports';
import type { Client, SdkHttpError } from '@modelcontextprotocol/client';
import { fetchFailure } from '../fetch-refusal.ts';
import type { McpServerConfig } from '../tools-config.ts';
import { type ListedTool, MAX_LISTED_TOOLS } from './mcp-tools.ts';
import { type McpSurroundings, type McpTransport, mcpTransport, STREAM_ENDED } from './mcp-transport.ts';

/** One connection to an MCP server, from its handshake until it is lost or closed. It is never opened again. */
export interface McpLink {
  /** The tools that the server lists, as it says them. */
  list(): Promise<readonly unknown[]>;
  call(tool: ListedTool, call: ToolCall, timeoutMs: number): Promise<McpOutcome>;
  hidden(): readonly string[];
  lastWords(): string;
  close(): Promise<void>;
}

export type McpOutcome =
  | { readonly kind: 'answered'; readonly result: unknown }
  /** The server refused the call or failed, and said so. */
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'timed-out' }
  /** If the call was not sent, or the server refused to take it, it was not performed. */
  | { readonly kind: 'lost'; readonly performed: 'no' | 'unknown' };

export interface LinkEvents {
  lost(): void;
  /** The server has other tools now. */
  changed(): void;
}

const HANDSHAKE_TIMEOUT_MS = 20_000;
const PROBE_TIMEOUT_MS = 5_000;
const LIST_TIMEOUT_MS = 20_000;
const LISTEN_AGAIN_MS = 1_000;
const MAX_PAGES = 50;

/** Why a connection could not be made, and the last lines that the program wrote, which are only logged. */
export class LinkFailure extends Error {
  readonly lastWords: string;

  constructor(message: string, lastWords: string) {
    super(message);
    this.lastWords = lastWords;
  }
}

type Sdk = typeof import('@modelcontextprotocol/client');

export async function openMcpLink(
  config: McpServerConfig,
  around: McpSurroundings,
  events: LinkEvents,
  signal: AbortSignal,
): Promise<McpLink> {
  const sdk = await import('@modelcontextprotocol/client');
  const way = await mcpTransport(config, around, events.lost);
  const client = new sdk.Client(
    { name: 'baton', version: '1' },
    {
      // Over stdio the SDK would start the program twice to find out the version.
      ...(config.connection.kind === 'http' && {
        versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs: PROBE_TIMEOUT_MS } },
      }),
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: events.changed } },
    },
  );
  client.onclose = events.lost;
  try {
    await client.connect(way.transport, { timeout: HANDSHAKE_TIMEOUT_MS, signal });
  } catch (error) {
    await way.end();
    throw new LinkFailure(howItFailed(sdk, error), way.lastWords());
  }
  listenOn(client, around, events);
  return linkOver(sdk, client, way);
}

/** A server of the 2026 version tells changes on a stream of its own, which can end at any time. */
function listenOn(client: Client, around: McpSurroundings, events: LinkEvents): void {
  const watch = (subscription: Client['autoOpenedSubscription']): void => {
    subscription?.closed.then((reason) => {
      if (reason === 'local') return;
      around.timers.after(LISTEN_AGAIN_MS, () => {
        client.listen({ toolsListChanged: true }).then((next) => {
          watch(next);
          events.changed();
        }, events.lost);
      });
    });
  };
  watch(client.autoOpenedSubscription);
}

function linkOver(sdk: Sdk, client: Client, way: McpTransport): McpLink {
  return {
    list: () => listAll(client),
    async call({ name, descriptor }, { input, key, traceparent, signal }, timeoutMs) {
      const meta = { 'dev.baton/idempotencyKey': key, ...(traceparent !== undefined && { traceparent }) };
      // With the definition the SDK neither looks one up nor sends a call a second time after an error. It checks no
      // result, because a schema of the server would be compiled to code.
      const toolDefinition = { name, inputSchema: descriptor.parameters as { type: 'object' } };
      const options = {
        signal,
        timeout: timeoutMs,
        toolDefinition,
        ...(traceparent && { headers: { traceparent } }),
      };
      try {
        const result = await client.callTool({ name, arguments: { ...input }, _meta: meta }, options);
        return { kind: 'answered', result };
      } catch (error) {
        return outcomeOf(sdk, error);
      }
    },
    hidden: way.hidden,
    lastWords: way.lastWords,
    async close() {
      client.onclose = undefined;
      await client.close().catch(() => undefined);
      await way.end();
    },
  };
}

/** Takes any result, so that one malformed tool does not hide the others. */
const ANYTHING = {
  '~standard': {
    version: 1 as const,
    vendor: 'baton',
    validate: (value: unknown) => ({ value }),
  },
};

async function listAll(client: Client): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const result: unknown = await client.request({ method: 'tools/list', params }, ANYTHING, {
      timeout: LIST_TIMEOUT_MS,
    });
    const { tools: listed, nextCursor } = result as { tools?: unknown; nextCursor?: unknown };
    if (!Array.isArray(listed)) throw new Error('the server lists no tools');
    tools.push(...listed.slice(0, MAX_LISTED_TOOLS - tools.length));
    if (typeof nextCursor !== 'string' || tools.length >= MAX_LISTED_TOOLS) break;
    cursor = nextCursor;
  }
  return tools;
}

function outcomeOf(sdk: Sdk, error: unknown): McpOutcome {
  if (error instanceof sdk.ProtocolError) {
    if (error.code === STREAM_ENDED) return { kind: 'lost', performed: 'unknown' };
    return { kind: 'failed', words: error.message };
  }
  if (error instanceof sdk.SdkHttpError) return { kind: 'lost', performed: performedAfter(error) };
  if (error instanceof sdk.SdkError) {
    switch (error.code) {
      case sdk.SdkErrorCode.RequestTimeout:
        return { kind: 'timed-out' };
      case sdk.SdkErrorCode.NotConnected:
        return { kind: 'lost', performed: 'no' };
      case sdk.SdkErrorCode.ConnectionClosed:
      case sdk.SdkErrorCode.SendFailed:
        return { kind: 'lost', performed: 'unknown' };
      default:
        return { kind: 'malformed' };
    }
  }
  const failure = fetchFailure(error);
  if (failure === 'too-large') return { kind: 'malformed' };
  const unsent = failure === 'unsent' || failure === 'refused' || isNotConnected(error);
  return { kind: 'lost', performed: unsent ? 'no' : 'unknown' };
}

/** A server that does not know the session any more answers with 404 or 400, and performs nothing. */
function performedAfter({ status }: SdkHttpError): 'no' | 'unknown' {
  return status !== undefined && status >= 400 && status < 500 ? 'no' : 'unknown';
}

/** The SDK has no class for this one. */
function isNotConnected(error: unknown): boolean {
  return error instanceof Error && error.message === 'Not connected';
}

/** Why a connection could not be made. The message of an exception is not used, because it may hold a body. */
function howItFailed(sdk: Sdk, error: unknown): string {
  if (error instanceof sdk.SdkHttpError) return `the server answered with HTTP status ${error.status}`;
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  if (code === 'ENOENT') return 'the command was not found';
  if (code === sdk.SdkErrorCode.RequestTimeout) return 'the server did not answer in time';
  if (code === sdk.SdkErrorCode.ConnectionClosed) return 'the program ended';
  return fetchFailure(error) === 'refused' ? 'the address was refused' : 'the server could not be reached';
}
