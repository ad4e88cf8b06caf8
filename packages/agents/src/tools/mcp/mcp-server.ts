import type { ToolCall, ToolResult } from '@baton/engine/ports';
import { withoutHidden } from '../hidden-values.ts';
import { failed, failedInItsWords } from '../tool-results.ts';
import type { McpServerConfig } from '../tools-config.ts';
import { type McpLink, type McpOutcome, openMcpLink } from './mcp-link.ts';
import { mcpResult } from './mcp-result.ts';
import { type ListedTool, type Listing, readListing } from './mcp-tools.ts';
import type { McpSurroundings } from './mcp-transport.ts';

/** An MCP server that is connected again whenever the connection is lost. */
export interface McpServer {
  readonly name: string;
  /** Resolves when no attempt to connect is under way. */
  settled(): Promise<void>;
  isUp(): boolean;
  /** The last list of tools, also while the server is away. */
  tools(): readonly ListedTool[];
  call(name: string, call: ToolCall): Promise<ToolResult>;
  health(): McpHealth;
  stop(): Promise<void>;
}

export interface McpHealth {
  readonly server: string;
  readonly status: 'up' | 'away';
  readonly tools: number;
  /** Why the server is away, and which of its tools are left out. */
  readonly problems: readonly string[];
}

export interface McpServerOptions extends McpSurroundings {
  readonly now: () => number;
  readonly log: ToolsLog;
  readonly open?: typeof openMcpLink;
}

export interface ToolsLog {
  warn(details: object, message: string): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;

interface State {
  link: McpLink | undefined;
  attempt: Promise<void> | undefined;
  cancelRetry: () => void;
  failures: number;
  upSince: number;
  known: Listing;
  why: string | undefined;
}

export function mcpServer(config: McpServerConfig, options: McpServerOptions): McpServer {
  const { open = openMcpLink, timers, now, log } = options;
  const stopping = new AbortController();
  const state: State = {
    link: undefined,
    attempt: undefined,
    cancelRetry: () => undefined,
    failures: 0,
    upSince: 0,
    known: { tools: [], leftOut: [] },
    why: undefined,
  };

  function connect(): Promise<void> {
    state.cancelRetry();
    state.attempt ??= tryToConnect().finally(() => {
      state.attempt = undefined;
    });
    return state.attempt;
  }

  async function tryToConnect(): Promise<void> {
    let opened: McpLink | undefined;
    let isLost = false;
    const lost = () => {
      isLost = true;
      if (opened !== undefined) lose(opened, 'the connection was lost');
    };
    try {
      const changed = () => opened && refresh(opened);
      opened = await open(config, options, { lost, changed }, stopping.signal);
      const known = readListing(config, await opened.list());
      if (isLost || stopping.signal.aborted) throw new Error('the connection was lost');
      Object.assign(state, { link: opened, known, upSince: now(), why: undefined });
      for (const problem of known.leftOut) log.warn({ server: config.name, problem }, 'a tool is left out');
    } catch (error) {
      await opened?.close();
      retryLater(error instanceof Error ? error.message : 'the server could not be reached');
    }
  }

  /** A server that does not list its tools any more counts as lost, and its last list is kept. */
  async function refresh(link: McpLink): Promise<void> {
    try {
      const known = readListing(config, await link.list());
      if (state.link === link) state.known = known;
    } catch {
      lose(link, 'the server did not list its tools');
    }
  }

  function lose(link: McpLink, why: string): void {
    if (state.link !== link) return;
    state.link = undefined;
    void link.close();
    // A server that is lost soon after each start is not started again every second.
    if (now() - state.upSince > LONGEST_RETRY_MS) state.failures = 0;
    retryLater(why);
  }

  function retryLater(why: string): void {
    state.why = why;
    if (stopping.signal.aborted) return;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** state.failures, LONGEST_RETRY_MS);
    state.failures += 1;
    log.warn({ server: config.name, why, retryInMs: wait }, 'an MCP server is away');
    state.cancelRetry = timers.after(wait, () => void connect());
  }

  async function callOnce(name: string, call: ToolCall): Promise<Called> {
    if (state.link === undefined && !stopping.signal.aborted) await connect();
    const { link, known } = state;
    if (link === undefined) return { kind: 'away' };
    const tool = known.tools.find((listed) => listed.name === name);
    if (tool === undefined) return { kind: 'unknown' };
    const outcome = await link.call(tool, call, config.timeoutMs);
    if (outcome.kind === 'lost') lose(link, 'the connection was lost');
    if (outcome.kind === 'timed-out' && !call.signal.aborted) void refresh(link);
    return { kind: 'called', outcome, tool, hidden: link.hidden() };
  }

  void connect();
  return {
    name: config.name,
    settled: async () => state.attempt,
    isUp: () => state.link !== undefined,
    tools: () => state.known.tools,
    async call(name, call) {
      let called = await callOnce(name, call);
      if (mayRepeat(called) && !call.signal.aborted) called = await callOnce(name, call);
      return resultOf(called);
    },
    health: () => ({
      server: config.name,
      status: state.link === undefined ? 'away' : 'up',
      tools: state.known.tools.length,
      problems: [...(state.why === undefined ? [] : [state.why]), ...state.known.leftOut],
    }),
    async stop() {
      stopping.abort(new Error('the host stops'));
      state.cancelRetry();
      await state.attempt;
      const { link } = state;
      state.link = undefined;
      await link?.close();
    },
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
