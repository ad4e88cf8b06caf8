import type { ToolCall, ToolDescriptor, ToolResult, ToolSurface, Tools } from '@baton/engine/ports';
import { problemByAuthor } from '@baton/protocol';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { builtInTools } from './built-in-tools.ts';
import type { ConnectedTool, SecretOf } from './connected-tool.ts';
import { type Fetch, guardedFetch } from './guarded-fetch.ts';
import { type Fetches, httpTool } from './http-tool.ts';
import type { ToolsLog } from './mcp/kept-link.ts';
import type { McpHealth } from './mcp/mcp-server.ts';
import { type McpServers, mcpServers } from './mcp/mcp-servers.ts';
import { MAX_MESSAGE_BYTES } from './mcp/mcp-transport.ts';
import { systemTimers, type Timers } from './timers.ts';
import { matches } from './tool-ids.ts';
import { boundedOutput, failed, MAX_RESULT_CHARACTERS } from './tool-results.ts';
import { MAX_TIMEOUT_MS, type ToolLimit, type ToolsConfig } from './tools-config.ts';

export interface ConnectedTools extends Tools {
  health(): readonly McpHealth[];
  /** Ends connections and child processes. */
  stop(): Promise<void>;
}

export interface ToolsOptions {
  readonly secretOf: SecretOf;
  readonly log: ToolsLog;
  readonly now?: () => number;
  readonly timers?: Timers;
  /** The clients for all addresses. Absent: guarded ones. */
  readonly fetches?: Fetches & { readonly streaming: Fetch };
  readonly maxResultCharacters?: number;
}

/** Connects the tools of a host. MCP servers that cannot be reached do not delay the start. */
export function connectTools(config: ToolsConfig, options: ToolsOptions): ConnectedTools {
  const { secretOf, log, now = Date.now, timers = systemTimers } = options;
  const clients = guardedClients();
  const fetches = options.fetches ?? clients.fetches;
  const own = new Map<string, ConnectedTool>(
    [
      ...builtInTools(fetches.guarded, now),
      ...config.http.map((tool) => httpTool(tool, fetches, secretOf)),
    ].map((tool) => [tool.descriptor.id, tool]),
  );
  const mcp = mcpServers(config.mcp, { fetch: fetches.streaming, secretOf, timers, now, log });
  const limit = rateLimits(config.limits);
  const maxCharacters = options.maxResultCharacters ?? MAX_RESULT_CHARACTERS;

  return {
    surface: (tenant, allowed) => surfaceOf(own, mcp, secretOf, tenant, allowed),
    async call(call) {
      try {
        const descriptor = own.get(call.id)?.descriptor ?? mcp.descriptor(call.id);
        const problem = descriptor && problemByAuthor(descriptor.parameters, call.input);
        if (problem !== undefined) {
          const where = problem.field === '' ? 'The arguments' : `The argument ${problem.field}`;
          return failed('input_invalid', `The tool was not called. ${where}: ${problem.problem}.`);
        }
        const wait = await limit(call);
        if (wait !== undefined) return { status: 'rate_limited', retryAfterMs: wait };
        const result = await run(own, mcp, call);
        return checked(result, own.get(call.id)?.descriptor ?? mcp.descriptor(call.id), maxCharacters);
      } catch {
        // The message of an exception may hold a key or an address.
        return failed('tool_failed', 'The tool could not be called, because of a defect in the host.');
      }
    },
    health: () => mcp.health(),
    async stop() {
      await mcp.stop();
      await clients.close();
    },
  };
}

async function run(
  own: ReadonlyMap<string, ConnectedTool>,
  mcp: McpServers,
  call: ToolCall,
): Promise<ToolResult> {
  const tool = own.get(call.id);
  if (tool !== undefined) return tool.run(call);
  const found = mcp.find(call.id);
  return found === undefined ? failed('tool_not_found') : found.server.call(found.name, call);
}

function checked(
  result: ToolResult,
  descriptor: ToolDescriptor | undefined,
  maxCharacters: number,
): ToolResult {
  if (result.status !== 'ok') return result;
  const problem = descriptor?.returns && problemByAuthor(descriptor.returns, result.output);
  if (problem !== undefined) {
    const where = problem.field === '' ? '' : ` (${problem.field})`;
    return failed(
      'tool_result_invalid',
      `The result of the tool is not of the form that it declares${where}.`,
    );
  }
  return { status: 'ok', output: boundedOutput(result.output, maxCharacters) };
}

async function surfaceOf(
  own: ReadonlyMap<string, ConnectedTool>,
  mcp: McpServers,
  secretOf: SecretOf,
  tenant: string,
  allowed: readonly string[],
): Promise<ToolSurface> {
  const isAllowed = (id: string) => allowed.some((entry) => matches(entry, id));
  const tools: ToolDescriptor[] = [];
  const degraded = new Set<string>();
  for (const { descriptor, secrets } of own.values()) {
    if (!isAllowed(descriptor.id)) continue;
    const values = await Promise.all(secrets.map((name) => secretOf(tenant, name)));
    if (values.includes(undefined)) degraded.add(descriptor.id);
    else tools.push(descriptor);
  }
  const remote = await mcp.surface(allowed);
  tools.push(...remote.tools.filter(({ id }) => isAllowed(id)));
  for (const id of remote.degraded) degraded.add(id);
  for (const entry of allowed) {
    const isThere = [...tools.map(({ id }) => id), ...degraded].some((id) => matches(entry, id));
    if (!isThere) degraded.add(entry);
  }
  return {
    tools: tools.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    degraded: [...degraded].sort(),
  };
}

function guardedClients() {
  // Each call has a time-out of its own, which ends it before these.
  const times = { headersTimeoutMs: MAX_TIMEOUT_MS, bodyTimeoutMs: MAX_TIMEOUT_MS };
  const guarded = guardedFetch({ mode: 'guarded', ...times });
  const operator = guardedFetch({ mode: 'operator', ...times });
  // A stream of changes may be silent for days.
  const streaming = guardedFetch({
    mode: 'operator',
    headersTimeoutMs: 0,
    bodyTimeoutMs: 0,
    maxBytes: MAX_MESSAGE_BYTES,
  });
  return {
    fetches: { guarded: guarded.fetch, operator: operator.fetch, streaming: streaming.fetch },
    async close() {
      await Promise.all([guarded.close(), operator.close(), streaming.close()]);
    },
  };
}

/** Counts a call. Answers with the time to wait if the call is one too many, and with undefined if it may be made. */
type RateLimits = (call: Pick<ToolCall, 'tenant' | 'principal' | 'id'>) => Promise<number | undefined>;

/** Each principal of a tenant is counted for each tool by itself. Of several limits the most particular one holds. */
function rateLimits(limits: readonly ToolLimit[]): RateLimits {
  const limiters = limits
    .toSorted((one, other) => other.tools.length - one.tools.length)
    .map(({ tools, calls, perSeconds }) => ({
      tools,
      limiter: new RateLimiterMemory({ points: calls, duration: perSeconds }),
    }));
  return async ({ tenant, principal, id }) => {
    const limiter = limiters.find(({ tools }) => matches(tools, id))?.limiter;
    try {
      await limiter?.consume(JSON.stringify([tenant, principal, id]));
      return undefined;
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return Math.max(1, refused.msBeforeNext);
      throw refused;
    }
  };
}
