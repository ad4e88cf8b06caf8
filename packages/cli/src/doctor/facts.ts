/** Everything that the checks look at. `gather-facts.ts` gathers it; the checks only compare. */
export interface Facts {
  readonly node: { readonly version: string; readonly least: string };
  readonly settings: { readonly problems: readonly string[]; readonly warnings: readonly string[] };
  readonly data: DataFacts;
  readonly host: HostFacts;
  readonly keys: KeyFacts;
  readonly models: readonly ProviderFacts[];
  readonly peers: readonly PeerFacts[];
}

export interface DataFacts {
  readonly folder: string;
  readonly state: 'absent' | 'folder' | 'not-a-folder';
  /** Of the folder, or of the nearest folder above it that exists. */
  readonly writable: boolean;
  readonly freeBytes?: number;
}

export interface HostFacts {
  readonly url: string;
  /** `port-used`: another program listens on the port. `silent`: nothing does. */
  readonly state: 'ready' | 'not-ready' | 'port-used' | 'silent';
  /** The reason why a host is not ready. */
  readonly reason?: string;
  /** Absent without an answer of a host. */
  readonly key?: 'accepted' | 'refused' | 'none';
  /** How far the clock of the host is ahead of this machine. */
  readonly clockAheadMs?: number;
  readonly heldRuns?: number;
}

export interface KeyFacts {
  /** Where the key for the host comes from. */
  readonly operator: 'environment' | 'development' | 'none';
  /** Absent when there is no data yet. */
  readonly apiKeys?: number;
  readonly auditKey: 'present' | 'absent' | 'unreadable';
}

export interface ProviderFacts {
  readonly provider: string;
  readonly kind: string;
  /** Absent when no host says whether the provider works. */
  readonly state?: string;
  readonly lastFault?: string;
}

export interface PeerFacts {
  readonly name: string;
  readonly url: string;
  readonly kind: 'baton' | 'a2a';
  readonly state: 'same' | 'unreachable' | 'other-host' | 'other-key';
  readonly clockAheadMs?: number;
}

export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do. Absent when there is nothing to do. */
  readonly fix?: string;
}
