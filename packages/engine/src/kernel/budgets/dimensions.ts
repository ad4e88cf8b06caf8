import type { Budget, BudgetDimension, CapKind, RunUsage } from '@baton/protocol';

/** What a budget limits. */

export const CAP_OF: Readonly<Record<BudgetDimension, CapKind>> = {
  tokens: 'budget-tokens',
  cost: 'budget-cost',
  toolCalls: 'budget-tool-calls',
};

/** One dimension of a budget: its limit, and how much of it is used. */
export interface Use {
  readonly dimension: BudgetDimension;
  readonly consumed: number;
  readonly limit: number;
}

/**
 * The dimensions that the budget limits. Costs count only if the price of at least one call was known: an unknown
 * cost is not a cost of 0.
 */
export function usesOf({ maxTokens, maxCostUsd, maxToolCalls }: Budget, usage: RunUsage): readonly Use[] {
  const { inputTokens, outputTokens, toolCalls, costUsd } = usage;
  const uses: Use[] = [];
  if (maxTokens !== undefined)
    uses.push({ dimension: 'tokens', consumed: inputTokens + outputTokens, limit: maxTokens });
  if (maxCostUsd !== undefined && costUsd !== undefined)
    uses.push({ dimension: 'cost', consumed: costUsd, limit: maxCostUsd });
  if (maxToolCalls !== undefined)
    uses.push({ dimension: 'toolCalls', consumed: toolCalls, limit: maxToolCalls });
  return uses;
}
