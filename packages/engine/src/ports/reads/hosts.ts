/** How much one of the hosts that share a store has to do. */
export interface HostWork {
  /** The name under which the host owns effects. */
  readonly owner: string;
  /** Effects that it performs, or is about to. */
  readonly effects: number;
  /** Trees that it keeps and that are not finished. */
  readonly trees: number;
}

export interface HostWorkReads {
  /** Hosts without work are left out. Numbers beyond a thousand may be lower than they are. */
  workOfHosts(): Promise<readonly HostWork[]>;
}
