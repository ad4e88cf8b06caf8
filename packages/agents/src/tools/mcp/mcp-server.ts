import type { ToolCall, ToolResult } from '@baton/engine/ports';
import { isJsonObject, type Json, type JsonObject, storableJson, wellFormed } from '@baton/protocol';
import { withoutHidden } from '../hidden-values.ts';
import { failed, failedInItsWords, ok } from '../tool-results.ts';
import type { McpServerConfig } from '../tools-config.ts';
import { type KeptLinkOptions, keptLink } from './kept-link.ts';
import type { McpOutcome } from './mcp-link.ts';
import type { ListedTool } from './mcp-tools.ts';

/** An MCP server and the calls of its tools. */
export interface McpServer {
  readonly name: string;
  /** Resolves when no attempt to connect is under way. */
  settled(): Promise<void>;
  isUp(): boolean;
  /** The last list of tools, also while the server is away. */
  tools(): readonly ListedTool[];
  /** Names in the settings of the server that no tool of its last list has. */
  misnamed(): readonly string[];
  call(name: string, call: ToolCall): Promise<ToolResult>;
  health(): McpHealth;
  stop(): Promise<void>;
}

export interface McpHealth {
  readonly server: string;
  /** `degraded`: the server is up, and its settings name tools that it does not have. */
  readonly status: 'up' | 'degraded' | 'away';
  readonly tools: number;
  /** Why the server is away, which of its tools are left out, and which names in its settings no tool has. */
  readonly problems: readonly string[];
}

export function mcpServer(config: McpServerConfig, options: KeptLinkOptions): McpServer {
  const kept = keptLink(config, options);

  async function callOnce(name: string, call: ToolCall): Promise<Called> {
    if (kept.link() === undefined) await kept.connect();
    const link = kept.link();
    if (link === undefined) return { kind: 'away' };
    const tool = kept.known().tools.find((listed) => listed.name === name);
    if (tool === undefined) return { kind: 'unknown' };
    const outcome = await link.call(tool, call, config.timeoutMs);
    if (outcome.kind === 'lost') kept.lose(link);
    if (outcome.kind === 'timed-out' && !call.signal.aborted) void kept.refresh(link);
    return { kind: 'called', outcome, tool, hidden: link.hidden() };
  }

  void kept.connect();
  return {
    name: config.name,
    settled: kept.settled,
    isUp: () => kept.link() !== undefined,
    tools: () => kept.known().tools,
    misnamed: () => kept.known().misnamed.map(({ name }) => name),
    async call(name, call) {
      let called = await callOnce(name, call);
      if (mayRepeat(called) && !call.signal.aborted) called = await callOnce(name, call);
      return resultOf(called);
    },
    health() {
      const why = kept.why();
      const { tools, leftOut, misnamed } = kept.known();
      const up = misnamed.length > 0 ? 'degraded' : 'up';
      return {
        server: config.name,
        status: kept.link() === undefined ? 'away' : up,
        tools: tools.length,
        problems: [
          ...(why === undefined ? [] : [why]),
          ...leftOut,
          ...misnamed.map(({ problem }) => problem),
        ],
      };
    },
    stop: kept.stop,
  };
}

type Called =
  | { readonly kind: 'away' }
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'called';
      readonly outcome: McpOutcome;
      readonly tool: ListedTool;
      readonly hidden: readonly string[];
    };

/** Once more over a new connection: a call that was not performed, or one that may be performed twice. */
function mayRepeat(called: Called): boolean {
  if (called.kind !== 'called' || called.outcome.kind !== 'lost') return false;
  return called.outcome.performed === 'no' || called.tool.descriptor.repeatable === 'yes';
}

function resultOf(called: Called): ToolResult {
  if (called.kind === 'away') {
    return failed('tool_unavailable', 'The MCP server of the tool is away, so the tool was not called.');
  }
  if (called.kind === 'unknown')
    return failed('tool_not_found', 'The MCP server does not have this tool any more.');
  return withoutHidden(resultOfOutcome(called.outcome), called.hidden);
}

function resultOfOutcome(outcome: McpOutcome): ToolResult {
  switch (outcome.kind) {
    case 'answered':
      return mcpResult(outcome.result);
    case 'failed':
      return failedInItsWords('The MCP server refused the call', outcome.words);
    case 'malformed':
      return failed('tool_result_invalid');
    case 'timed-out':
      return failed('tool_timeout');
    case 'lost':
      return failed(outcome.performed === 'no' ? 'tool_unavailable' : 'tool_outcome_unknown');
  }
}

/**
 * The result of a call to an MCP server. Structured content comes first, because a declared schema describes it;
 * otherwise the result is the text. Images and other binary content are named and left out.
 */
function mcpResult(given: unknown): ToolResult {
  const result = plain(given);
  if (result === undefined) return failed('tool_result_invalid');
  const parts = Array.isArray(result.content) ? result.content.map(shown) : [];
  if (result.isError === true) return failedInItsWords('The tool reports a failure', textOf(parts));
  if (result.structuredContent !== undefined) return ok(result.structuredContent);
  return ok(parts.every((part) => typeof part === 'string') ? textOf(parts) : parts);
}

function plain(given: unknown): JsonObject | undefined {
  try {
    const value = wellFormed(storableJson(given));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(parts: readonly Json[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join('\n');
}

function shown(part: Json): Json {
  if (!isJsonObject(part)) return 'A part of the result cannot be read.';
  const { type, text, resource, mimeType = 'unknown' } = part;
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource' && isJsonObject(resource)) {
    const { uri = '', text: content } = resource;
    return typeof content === 'string' ? { uri, text: content } : { uri, leftOut: 'binary content' };
  }
  if (type === 'resource_link') return { uri: part.uri ?? '', name: part.name ?? '' };
  return { leftOut: String(type), mimeType };
}
