import { BUDGET_PERIODS, CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { periodAt } from './periods.ts';
import { budgetOf } from './tenant-room.ts';
import { usageHistoryRoute } from './usage-history.ts';

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
