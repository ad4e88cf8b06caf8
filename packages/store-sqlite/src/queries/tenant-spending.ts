import type { SpendingReads } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** What tenants used, by day. */

const NANO = 1e9;

export function toNanoUsd(usd: number): number {
  return Math.round(usd * NANO);
}

interface Sums {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly nanoUsd: number | null;
}

export function spendingReads(database: Database): SpendingReads {
  const sums = database.prepare<Sums>(SUMS);
  return {
    async spending(tenant, first, last) {
      const found = sums.get(tenant, first, last);
      const { inputTokens = 0, outputTokens = 0, toolCalls = 0, nanoUsd = null } = found ?? {};
      // A refused call is taken off on the day of the refusal, which can be the day after it was counted.
      const calls = Math.max(0, toolCalls);
      return {
        inputTokens,
        outputTokens,
        toolCalls: calls,
        ...(nanoUsd !== null && { costUsd: nanoUsd / NANO }),
      };
    },
  };
}

/** The sum of `total` is a floating-point number, so sums that exceed the largest integer do not fail. */
const SUMS = `
  SELECT
    total(input_tokens) AS inputTokens,
    total(output_tokens) AS outputTokens,
    total(tool_calls) AS toolCalls,
    CASE WHEN count(cost_nano_usd) = 0 THEN NULL ELSE total(cost_nano_usd) END AS nanoUsd
  FROM tenant_spending WHERE tenant = ? AND day BETWEEN ? AND ?`;
