/** Another host that the operator of this host knows. */
export interface Peer {
  readonly name: string;
  /** The address of the host, without a path: `https://baton.acme.example`. */
  readonly url: string;
  /** `baton`: a host of this kind. `a2a`: an agent of another kind, which only works for this host. */
  readonly kind: 'baton' | 'a2a';
  /** The pinned host id. Absent for agents of another kind. */
  readonly hostId?: string;
  /** The pinned public audit key, as PEM. It verifies the results and the requests of the host. */
  readonly auditKey?: string;
  /** The name of the secret of the tenant `*` that is sent as a bearer token. Absent: a signed JWT is sent. */
  readonly secret?: string;
  /** The tenant in which the runs of the peer are. */
  readonly tenant: string;
  /** The ids of the workflows and agents that the peer may use, beside those that are published to everybody. */
  readonly publishes: readonly string[];
  readonly createdAt: number;
}

export interface PeerReads {
  peer(name: string): Promise<Peer | undefined>;
  peers(): Promise<readonly Peer[]>;
}
