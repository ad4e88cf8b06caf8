export interface HostIdReads {
  /**
   * The id by which other hosts know this one, unless its operator has set another. It is made when the storage
   * is created and is part of every backup, so a host that is restored from a backup is the same host.
   */
  hostId(): Promise<string>;
}
