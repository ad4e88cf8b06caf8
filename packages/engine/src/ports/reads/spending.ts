/** What a tenant used on some days, without what replays repeated. */
export interface Spending {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  /** Absent when no price was known. */
  readonly costUsd?: number;
}

export interface DailySpending extends Spending {
  /** The number of the day, in UTC, since the beginning of 1970. */
  readonly day: number;
}

/** What the events of a slice used. It is added to the tenant's spending on that day. */
export interface SpentOnDay extends DailySpending {
  readonly tenant: string;
  /** The parts of it that agents used. Model calls of other nodes belong to no agent. */
  readonly agents?: readonly SpentByAgent[];
}

export interface SpentByAgent extends Spending {
  readonly agentId: string;
}

/** The days on which an agent used something, oldest first. */
interface AgentSpending {
  readonly agentId: string;
  readonly days: readonly DailySpending[];
}

export interface SpendingReads {
  /** The sum over all days from `first` to `last`, both included. */
  spending(tenant: string, first: number, last: number): Promise<Spending>;
  /** The days from `first` to `last`, both included, on which the tenant used something, oldest first. */
  dailySpending(tenant: string, first: number, last: number): Promise<readonly DailySpending[]>;
  /** The same for the agents of the tenant: at most `limit` of them, those that used the most tokens first. */
  agentSpending(
    tenant: string,
    first: number,
    last: number,
    limit: number,
  ): Promise<readonly AgentSpending[]>;
}
