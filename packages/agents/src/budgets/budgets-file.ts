import { BUDGET_PERIODS, type BudgetPeriod } from '@baton/protocol';
import { readSettingsFile, type SettingsFile } from '../files/read-settings-file.ts';
import { type At, has, Mistake, member, members, wholeNumber } from '../tools/file-values.ts';

/**
 * The file with the budgets of tenants, such as {"acme": {"day": {"maxTokens": 100000}}, "*": {…}}. A mistake in it
 * stops the start of the host, and the message names the file, the line and what to write instead.
 */
export function readBudgets(
  file: SettingsFile,
): { readonly config: TenantBudgets } | { readonly problem: string } {
  return readSettingsFile(file, budgetsIn);
}

/** As long as the name of a tenant can be. */
const LONGEST_TENANT = 128;

function budgetsIn(at: At): TenantBudgets {
  return new Map(members(at).map(([tenant, budget]) => [nameIn(tenant, budget), budgetIn(budget)]));
}

function nameIn(tenant: string, { path }: At): string {
  if (tenant !== '' && tenant.length <= LONGEST_TENANT) return tenant;
  throw new Mistake(path, 'must be the name of a tenant, or "*" for all tenants that are not named');
}

function budgetIn(at: At): TenantBudget {
  const periods = members(at, BUDGET_PERIODS).map(([period, limits]) => [period, limitsIn(limits)]);
  if (periods.length === 0) throw new Mistake(at.path, 'has no limit; write {"day": {"maxTokens": 100000}}');
  return Object.fromEntries(periods);
}

const LIMITS = ['maxTokens', 'maxCostUsd', 'maxToolCalls'];

function limitsIn(at: At): TenantLimits {
  if (members(at, LIMITS).length === 0)
    throw new Mistake(at.path, `has no limit; write at least one of ${LIMITS.join(', ')}`);
  const [tokens, cost, calls] = LIMITS.map((name) => member(at, name)) as [At, At, At];
  return {
    ...(has(tokens) && { maxTokens: wholeNumber(tokens, Number.MAX_SAFE_INTEGER, 100_000) }),
    ...(has(cost) && { maxCostUsd: dollars(cost) }),
    ...(has(calls) && { maxToolCalls: wholeNumber(calls, Number.MAX_SAFE_INTEGER, 1000) }),
  };
}

function dollars({ path, value }: At): number {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
  throw new Mistake(path, 'must be a number of US dollars above 0, such as 5 or 0.5');
}

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
