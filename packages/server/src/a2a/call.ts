import type { ServerResponse } from 'node:http';
import type { Identity } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';

/** The versions of A2A that the host speaks, the preferred one first. */
export const A2A_VERSIONS = ['1.0', '0.3'] as const;
export type A2aVersion = (typeof A2A_VERSIONS)[number];

/** One request of A2A: who asks, and in which version. */
export interface A2aCall {
  readonly host: HostContext;
  readonly identity: Identity;
  readonly version: A2aVersion;
  /** Closed when the caller has gone. */
  readonly response: ServerResponse;
  /** Aborted when the caller has gone or the host stops. */
  readonly signal: AbortSignal;
  /** The trace context of the request. */
  readonly traceparent: string | undefined;
}
