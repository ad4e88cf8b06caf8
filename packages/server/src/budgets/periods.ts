import type { BudgetPeriod } from '@baton/protocol';

export const DAY_MS = 86_400_000;

/** One period of the budget of a tenant, in UTC. Days are numbered from the beginning of 1970. */
export function periodAt(period: BudgetPeriod, now: number) {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const from = period === 'day' ? Date.UTC(year, month, day) : Date.UTC(year, month, 1);
  const until = period === 'day' ? from + DAY_MS : Date.UTC(year, month + 1, 1);
  return {
    firstDay: from / DAY_MS,
    lastDay: until / DAY_MS - 1,
    from: new Date(from).toISOString(),
    /** The beginning of the next period. */
    until: new Date(until).toISOString(),
  };
}
