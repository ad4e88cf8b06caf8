import type { DailySpending } from '@baton/engine/ports';
import { BUDGET_PERIODS, CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { DAY_MS, periodAt } from './periods.ts';
import { budgetOf } from './tenant-room.ts';

/** Shows a tenant what it has used and what it may use. */
export const budgetRoutes: Routes = (app, host) => {
  const { reads, settings } = host;
  usageHistoryRoute(app, host);

  bind(app, CONTRACTS.readUsage, async (request) => {
    const { tenant } = identityOf(request);
    const budget = budgetOf(settings.tenantBudgets, tenant);
    const now = Date.now();
    const periods = await Promise.all(
      BUDGET_PERIODS.map(async (period) => {
        const { firstDay, lastDay, from, until } = periodAt(period, now);
        const used = await reads.spending(tenant, firstDay, lastDay);
        return { period, from, until, used, limits: budget[period] ?? {} };
      }),
    );
    return { tenant, periods };
  });
};

/** What a tenant and its agents used on each of the last days. */

const USUAL_DAYS = 30;
const MOST_AGENTS = 100;
const NOTHING = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };

const usageHistoryRoute: Routes = (app, { reads }) => {
  bind(app, CONTRACTS.readUsageHistory, async (request) => {
    const { tenant } = identityOf(request);
    const { days = USUAL_DAYS, by } = request.query;
    const { lastDay, until } = periodAt('day', Date.now());
    const first = lastDay - days + 1;
    const used = await reads.dailySpending(tenant, first, lastDay);
    const agents =
      by === 'agent' ? await reads.agentSpending(tenant, first, lastDay, MOST_AGENTS) : undefined;
    return {
      from: new Date(first * DAY_MS).toISOString(),
      until,
      days: everyDay(used, first, lastDay).map(dated),
      agents: agents?.map((agent) => ({ agentId: agent.agentId, days: agent.days.map(dated) })),
    };
  });
};

/** All days from `first` to `last`, also those on which nothing was used. */
function everyDay(used: readonly DailySpending[], first: number, last: number): readonly DailySpending[] {
  const byDay = new Map(used.map((one) => [one.day, one]));
  return Array.from({ length: last - first + 1 }, (_, at) => {
    const day = first + at;
    return byDay.get(day) ?? { day, ...NOTHING };
  });
}

function dated({ day, ...used }: DailySpending) {
  return { day: new Date(day * DAY_MS).toISOString().slice(0, 10), ...used };
}
