/** How much a store holds, for operators. */
interface StorageFacts {
  readonly kind: string;
  readonly bytes: number;
  /** Runs and events that were ever stored, also those that were removed since. */
  readonly runs: number;
  readonly events: number;
}

export interface StorageReads {
  /** It is cheap: nothing is counted. */
  storageFacts(): Promise<StorageFacts>;
}
