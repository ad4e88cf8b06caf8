import {
  BUDGET_DIMENSIONS,
  BUDGET_PERIODS,
  type BudgetDimension,
  type BudgetPeriod,
  isJsonObject,
  type RunError,
  runError,
} from '@baton/protocol';

/**
 * The budget of a tenant is checked on the host, directly before a call is performed, and not in the kernel: what
 * other runs of the tenant used is not in the log of a run. The refusal is the recorded outcome of the effect, so a
 * replay repeats the refusal and does not check again.
 */

/** One limit of a tenant's budget that is used up. */
export interface TenantExhaustion {
  readonly period: BudgetPeriod;
  readonly dimension: BudgetDimension;
  readonly consumed: number;
  readonly limit: number;
}

const UNITS: Readonly<Record<BudgetDimension, string>> = {
  tokens: 'tokens',
  cost: 'US dollars',
  toolCalls: 'tool calls',
};

/** The failure of an effect that the budget of its tenant does not allow. `until` is the end of the period. */
export function tenantExhausted(found: TenantExhaustion, until: string): RunError {
  const { period, dimension, consumed, limit } = found;
  const message =
    `The tenant may use ${limit} ${UNITS[dimension]} in a ${period}, and ${consumed} are used${dimension === 'toolCalls' ? ' or under way' : ''}. ` +
    `Retry the run after ${until}, or ask the operator for a higher limit.`;
  return runError('budget_exhausted', message, { scope: 'tenant', period, dimension, limit, consumed });
}

/** The limit that a recorded failure names. `undefined` for every other failure. */
export function exhaustionIn({ code, details }: RunError): TenantExhaustion | undefined {
  if (code !== 'budget_exhausted' || !isJsonObject(details) || details.scope !== 'tenant') return undefined;
  const { consumed, limit } = details;
  const period = BUDGET_PERIODS.find((one) => one === details.period);
  const dimension = BUDGET_DIMENSIONS.find((one) => one === details.dimension);
  if (period === undefined || dimension === undefined) return undefined;
  if (typeof consumed !== 'number' || typeof limit !== 'number') return undefined;
  return { period, dimension, consumed, limit };
}
