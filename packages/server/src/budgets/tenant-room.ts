import { ALL_OTHERS, type TenantBudget, type TenantBudgets, type TenantLimits } from '@baton/agents';
import {
  type Spending,
  type SpendingReads,
  type TenantExhaustion,
  tenantExhausted,
} from '@baton/engine/ports';
import { BUDGET_PERIODS, type BudgetPeriod, type RunError } from '@baton/protocol';
import { periodAt } from './periods.ts';

/** Whether the budget of a tenant has room for another call. */
export interface TenantRoom {
  /** The failure of the next call of this kind, if a limit is used up. */
  refusal(tenant: string, next: 'model' | 'tool'): Promise<RunError | undefined>;
}

export function budgetOf(budgets: TenantBudgets | undefined, tenant: string): TenantBudget {
  return budgets?.get(tenant) ?? budgets?.get(ALL_OTHERS) ?? {};
}

interface TenantRoomParts {
  readonly budgets: TenantBudgets | undefined;
  readonly spending: SpendingReads['spending'];
  readonly now: () => number;
}

/** What the tenant used is read from the store before each call. A tenant without a budget costs no read. */
export function tenantRoom({ budgets, spending, now }: TenantRoomParts): TenantRoom {
  async function refusalIn(
    tenant: string,
    period: BudgetPeriod,
    limits: TenantLimits,
    next: 'model' | 'tool',
  ): Promise<RunError | undefined> {
    const { firstDay, lastDay, until } = periodAt(period, now());
    const found = exhausted(limits, await spending(tenant, firstDay, lastDay), next);
    return found && tenantExhausted({ period, ...found }, until);
  }

  return {
    async refusal(tenant, next) {
      const budget = budgetOf(budgets, tenant);
      for (const period of BUDGET_PERIODS) {
        const limits = budget[period];
        const refusal = limits && (await refusalIn(tenant, period, limits, next));
        if (refusal) return refusal;
      }
      return undefined;
    },
  };
}

/**
 * Tokens and costs are known after a call, so the calls that are under way at the same time can exceed these limits
 * by what they use themselves. A tool call is counted when it is intended, before it is performed, so the number of
 * tool calls is never exceeded.
 */
function exhausted(
  { maxTokens, maxCostUsd, maxToolCalls }: TenantLimits,
  { inputTokens, outputTokens, toolCalls, costUsd }: Spending,
  next: 'model' | 'tool',
): Omit<TenantExhaustion, 'period'> | undefined {
  const tokens = inputTokens + outputTokens;
  if (maxTokens !== undefined && tokens >= maxTokens)
    return { dimension: 'tokens', consumed: tokens, limit: maxTokens };
  if (maxCostUsd !== undefined && costUsd !== undefined && costUsd >= maxCostUsd)
    return { dimension: 'cost', consumed: costUsd, limit: maxCostUsd };
  // The present call is one of those that were counted.
  if (next === 'tool' && maxToolCalls !== undefined && toolCalls > maxToolCalls)
    return { dimension: 'toolCalls', consumed: toolCalls - 1, limit: maxToolCalls };
  return undefined;
}
