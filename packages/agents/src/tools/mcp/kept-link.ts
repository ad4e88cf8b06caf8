import type { McpServerConfig } from '../tools-config.ts';
import { LinkFailure, type McpLink, openMcpLink } from './mcp-link.ts';
import { type Listing, readListing } from './mcp-tools.ts';
import type { McpSurroundings } from './mcp-transport.ts';

/** The connection to one MCP server, which is made again whenever it is lost. */
interface KeptLink {
  /** The connection that is up, or undefined while the server is away. */
  link(): McpLink | undefined;
  /** The last list of tools, also while the server is away. */
  known(): Listing;
  /** Why the server is away. */
  why(): string | undefined;
  /** Tries to connect now. Attempts are not made at the same time. */
  connect(): Promise<void>;
  /** Resolves when no attempt to connect is under way. */
  settled(): Promise<void>;
  /** Lists the tools again. A server that does not list its tools counts as lost, and its last list is kept. */
  refresh(link: McpLink): Promise<void>;
  lose(link: McpLink): void;
  stop(): Promise<void>;
}

export interface KeptLinkOptions extends McpSurroundings {
  readonly now: () => number;
  readonly log: ToolsLog;
  readonly open?: typeof openMcpLink;
}

export interface ToolsLog {
  warn(details: object, message: string): void;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
const LOST = 'the connection was lost';

export function keptLink(config: McpServerConfig, options: KeptLinkOptions): KeptLink {
  const { now, log } = options;
  const stopping = new AbortController();
  const retry = retries(options);
  let link: McpLink | undefined;
  let known: Listing = { tools: [], leftOut: [], misnamed: [] };
  let why: string | undefined;
  let attempt: Promise<void> | undefined;
  let upSince = 0;

  function connect(): Promise<void> {
    retry.cancel();
    attempt ??= tryToConnect().finally(() => {
      attempt = undefined;
    });
    return attempt;
  }

  async function tryToConnect(): Promise<void> {
    try {
      const opened = await openListed(config, options, { lost: lose, changed: refresh }, stopping.signal);
      [link, why, upSince] = [opened.link, undefined, now()];
      learn(opened.listing);
    } catch (error) {
      const { message, lastWords } = error instanceof LinkFailure ? error : new LinkFailure(LOST, '');
      away(message, lastWords);
    }
  }

  function learn(listing: Listing): void {
    warnOf(listing, known, config.name, log);
    known = listing;
  }

  async function refresh(asked: McpLink): Promise<void> {
    try {
      const listing = readListing(config, await asked.list());
      if (link === asked) learn(listing);
    } catch {
      lose(asked);
    }
  }

  function lose(asked: McpLink): void {
    if (link !== asked) return;
    link = undefined;
    void asked.close();
    // A server that is lost soon after each start is not started again every second.
    if (now() - upSince > LONGEST_RETRY_MS) retry.reset();
    away(LOST, asked.lastWords());
  }

  function away(reason: string, lastWords: string): void {
    why = reason;
    if (stopping.signal.aborted) return;
    const retryInMs = retry.later(() => void connect());
    log.warn({ server: config.name, why, retryInMs, lastWords }, 'an MCP server is away');
  }

  return {
    link: () => link,
    known: () => known,
    why: () => why,
    connect: async () => (stopping.signal.aborted ? undefined : connect()),
    settled: async () => attempt,
    refresh,
    lose,
    async stop() {
      stopping.abort(new Error('the host stops'));
      retry.cancel();
      await attempt;
      const last = link;
      link = undefined;
      await last?.close();
    },
  };
}

/** Problems that the list before had too were logged then. */
function warnOf(listing: Listing, before: Listing, server: string, log: ToolsLog): void {
  for (const problem of listing.leftOut)
    if (!before.leftOut.includes(problem)) log.warn({ server, problem }, 'a tool is left out');
  const known = before.misnamed.map(({ problem }) => problem);
  for (const { problem } of listing.misnamed)
    if (!known.includes(problem))
      log.warn({ server, problem }, 'a setting of an MCP server names no tool of the server');
}

interface ListedEvents {
  lost(link: McpLink): void;
  changed(link: McpLink): void;
}

/** A connection whose tools are known. One that fails before is closed. */
async function openListed(
  config: McpServerConfig,
  options: KeptLinkOptions,
  events: ListedEvents,
  signal: AbortSignal,
): Promise<{ readonly link: McpLink; readonly listing: Listing }> {
  const { open = openMcpLink } = options;
  let link: McpLink | undefined;
  let isLost = false;
  const lost = () => {
    isLost = true;
    if (link !== undefined) events.lost(link);
  };
  try {
    link = await open(config, options, { lost, changed: () => link && events.changed(link) }, signal);
    const listing = readListing(config, await link.list());
    if (isLost || signal.aborted) throw new LinkFailure(LOST, link.lastWords());
    return { link, listing };
  } catch (error) {
    await link?.close();
    if (error instanceof LinkFailure) throw error;
    throw new LinkFailure('the server did not list its tools', link?.lastWords() ?? '');
  }
}

/** Waits that double. */
function retries({ timers }: KeptLinkOptions) {
  let failures = 0;
  let cancel: () => void = () => undefined;
  return {
    later(run: () => void): number {
      const wait = Math.min(FIRST_RETRY_MS * 2 ** failures, LONGEST_RETRY_MS);
      failures += 1;
      cancel = timers.after(wait, run);
      return wait;
    },
    cancel: () => cancel(),
    reset() {
      failures = 0;
    },
  };
}
