/** Work on another host that a run of this host has left behind: the run ended without the result of the work. */
export interface RemoteCancel {
  /** The run of this host. */
  readonly runId: string;
  /** The name of the peer. */
  readonly peer: string;
  /**
   * The task of the peer: its id, or the key of the effect that sent the message, if the answer with the id was not
   * recorded. A peer of this kind knows the run of a key.
   */
  readonly task: string;
  readonly namedBy: 'id' | 'key';
  /** When the run ended. */
  readonly at: number;
}

export interface RemoteCancelReads {
  remoteCancel(runId: string): Promise<RemoteCancel | undefined>;
  /** A page of the cancels that were not told yet, in the order of the runs. `after` is the id of a run. */
  remoteCancels(after: string | undefined, limit: number): Promise<readonly RemoteCancel[]>;
}

/**
 * The cancels that other hosts have to be told. A slice adds them (`Slice.cancels`), together with the end of their
 * run. A cancel that was never told is removed with the log of its run.
 */
export interface RemoteCancelStore {
  /** Removes a cancel that was told, or that can no longer be told. False if it was replaced since. */
  settleRemoteCancel(cancel: RemoteCancel): Promise<boolean>;
}
