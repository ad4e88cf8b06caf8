export interface UsageDay {
  readonly day: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  /** Absent when no price is known. */
  readonly costUsd?: number;
}

export function totalOf(days: readonly UsageDay[]): Omit<UsageDay, 'day'> {
  const sum = (of: (day: UsageDay) => number) => days.reduce((total, day) => total + of(day), 0);
  const isPriced = days.some(({ costUsd }) => costUsd !== undefined);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    toolCalls: sum(({ toolCalls }) => toolCalls),
    ...(isPriced && { costUsd: sum(({ costUsd = 0 }) => costUsd) }),
  };
}
