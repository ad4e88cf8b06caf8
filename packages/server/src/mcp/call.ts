import type { Identity } from '../auth/identity.ts';
import type { HostContext } from '../http/context.ts';

/**
 * The two generations of MCP. A client of `2025` opens a session, and the host can ask it questions. A client of `2026`
 * has no session: each request is complete, and a client that closes the connection cancels its request.
 */
export type Era = '2025' | '2026';

/** One tool call, or another request of MCP: who asks, and how. */
export interface McpCall {
  readonly host: HostContext;
  readonly identity: Identity;
  readonly era: Era;
  /** The trace context of the HTTP request. */
  readonly traceparent: string | undefined;
  /** Keeps the session of the call open, until the returned function is called. */
  readonly hold?: () => (() => void) | undefined;
}

/** What the metadata of a request may hold, under the names of MCP and of this host. */
export type RequestMeta = Readonly<Record<string, unknown>> | undefined;
