import type { Scope } from '@baton/protocol';

/** The caller of a request: the holder of an API key, a person with a browser session, or another host. */
export interface Identity {
  readonly keyId: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Present when the caller is a peer. It may use only the routes that are open to peers. */
  readonly peer?: PeerIdentity;
  /** Present when the caller is known by the cookie of a session. */
  readonly session?: OpenSession;
}

/** A browser session. */
interface OpenSession {
  readonly id: string;
  /** In milliseconds. */
  readonly expiresAt: number;
}

/** A host that the operator of this host knows, as the caller of a request. */
interface PeerIdentity {
  readonly name: string;
  readonly hostId?: string;
  readonly url: string;
  /** The ids of the workflows and agents that only this peer may use. See `publishedTo`. */
  readonly publishes: readonly string[];
}
