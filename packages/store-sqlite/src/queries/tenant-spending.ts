import type { DailySpending, Spending, SpendingReads } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** What tenants and their agents used, by day. */

const NANO = 1e9;

interface Sums {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly toolCalls: number;
  readonly nanoUsd: number | null;
}

interface DaySums extends Sums {
  readonly day: number;
}

interface AgentSums extends DaySums {
  readonly agentId: string;
}

const NO_SUMS: Sums = { inputTokens: 0, outputTokens: 0, toolCalls: 0, nanoUsd: null };

export function spendingReads(database: Database): SpendingReads {
  const sums = database.prepare<Sums>(SUMS);
  const days = database.prepare<DaySums>(DAYS);
  const agents = database.prepare<AgentSums>(AGENTS);
  return {
    spending: async (tenant, first, last) => toSpending(sums.get(tenant, first, last) ?? NO_SUMS),
    dailySpending: async (tenant, first, last) => days.all(tenant, first, last).map(toDaily),
    async agentSpending(tenant, first, last, limit) {
      const byId = new Map<string, DailySpending[]>();
      for (const row of agents.all(tenant, first, last, limit, tenant, first, last)) {
        const found = byId.get(row.agentId) ?? [];
        byId.set(row.agentId, found);
        found.push(toDaily(row));
      }
      return [...byId].map(([agentId, used]) => ({ agentId, days: used }));
    },
  };
}

function toDaily({ day, ...sums }: DaySums): DailySpending {
  return { day, ...toSpending(sums) };
}

function toSpending({ inputTokens, outputTokens, toolCalls, nanoUsd }: Sums): Spending {
  return {
    inputTokens,
    outputTokens,
    // A refused call is taken off on the day of the refusal, which can be the day after it was counted.
    toolCalls: Math.max(0, toolCalls),
    ...(nanoUsd !== null && { costUsd: nanoUsd / NANO }),
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

const COUNTS = `
  day, input_tokens AS inputTokens, output_tokens AS outputTokens, tool_calls AS toolCalls, cost_nano_usd AS nanoUsd`;

const DAYS = `
  SELECT ${COUNTS} FROM tenant_spending WHERE tenant = ? AND day BETWEEN ? AND ? ORDER BY day`;

const AGENTS = `
  WITH most AS (
    SELECT agent_id, total(input_tokens) + total(output_tokens) AS tokens FROM agent_spending
    WHERE tenant = ? AND day BETWEEN ? AND ? GROUP BY agent_id ORDER BY tokens DESC, agent_id LIMIT ?
  )
  SELECT agent_id AS agentId, ${COUNTS} FROM agent_spending JOIN most USING (agent_id)
  WHERE tenant = ? AND day BETWEEN ? AND ? ORDER BY tokens DESC, agent_id, day`;
