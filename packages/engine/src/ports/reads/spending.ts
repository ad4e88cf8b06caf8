/** What a tenant used on some days, without what replays repeated. */
export interface Spending {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  /** Absent when no price was known. */
  readonly costUsd?: number;
}

/** What the events of a slice used. It is added to the tenant's spending on that day. */
export interface SpentOnDay extends Spending {
  readonly tenant: string;
  /** The number of the day, in UTC, since the beginning of 1970. */
  readonly day: number;
}

export interface SpendingReads {
  /** The sum over all days from `first` to `last`, both included. */
  spending(tenant: string, first: number, last: number): Promise<Spending>;
}
