/** The files of a peer for TLS. They are read when the peer is called, so that they can be replaced at any time. */
export interface PeerTls {
  /** The certificate that is presented to the peer, as PEM, and its private key. Absent: none is presented. */
  readonly certificate?: { readonly file: string; readonly keyFile: string };
  /** The authorities that may have signed the certificate of the peer. Absent: those that Node.js knows. */
  readonly caFile?: string;
}

/** Another host that the operator of this host knows. */
export interface Peer {
  readonly name: string;
  /**
   * The address of the host, without a path: `https://baton.acme.example`. Only an agent of another kind may have
   * one below a path, under which its card is. There is no slash at the end.
   */
  readonly url: string;
  /** `baton`: a host of this kind. `a2a`: an agent of another kind, which only works for this host. */
  readonly kind: 'baton' | 'a2a';
  /** The pinned host id. Absent for agents of another kind. */
  readonly hostId?: string;
  /** The pinned public audit key, as PEM. It verifies the results and the requests of the host. */
  readonly auditKey?: string;
  /**
   * The name of the secret of the tenant `*` that is sent as a bearer token. Absent: a signed JWT is sent, unless a
   * certificate is presented.
   */
  readonly secret?: string;
  readonly tls?: PeerTls;
  /** SHA-256 fingerprints (`AB:CD:…`) of the certificates by which the host is recognised when it calls. */
  readonly certificates?: readonly string[];
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
