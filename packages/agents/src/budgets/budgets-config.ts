import type { BudgetPeriod } from '@baton/protocol';

/** What a tenant may use in one period. */
export interface TenantLimits {
  readonly maxTokens?: number;
  readonly maxCostUsd?: number;
  readonly maxToolCalls?: number;
}

export type TenantBudget = Readonly<Partial<Record<BudgetPeriod, TenantLimits>>>;

/** Budgets by tenant. The budget of `*` is that of each tenant that has no entry of its own. */
export type TenantBudgets = ReadonlyMap<string, TenantBudget>;

export const ALL_OTHERS = '*';
