export type { HostRow, Membership, Tick } from '@baton/store-postgres';

/** A host that is silent for so long is replaced, unless its settings say otherwise. */
export const LEASE_MS = 5000;

/** How a host presents itself to the other hosts of its database. */
export interface MemberOptions {
  /** Names the host in lists. */
  readonly name: string;
  readonly version: string;
  /** A host that is silent for so long is replaced. */
  readonly leaseMs: number;
}
