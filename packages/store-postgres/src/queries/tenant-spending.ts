import {
  type Columns,
  type DailySpending,
  present,
  type Spending,
  type SpendingReads,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

/** What tenants and their agents used, by day. */

type AgentColumns = Columns<DailySpending> & { readonly agentId: string };

const NOTHING: Spending = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };

export function spendingReads(database: Database): SpendingReads {
  return {
    async spending(tenant, first, last) {
      const row = await database.row<Columns<Spending>>(SUMS_OF_DAYS, tenant, first, last);
      return row === undefined ? NOTHING : present<Spending>(row);
    },
    async dailySpending(tenant, first, last) {
      const rows = await database.rows<Columns<DailySpending>>(DAYS, tenant, first, last);
      return rows.map((row) => present<DailySpending>(row));
    },
    async agentSpending(tenant, first, last, limit) {
      const byId = new Map<string, DailySpending[]>();
      for (const { agentId, ...row } of await database.rows<AgentColumns>(
        AGENTS,
        tenant,
        first,
        last,
        limit,
      )) {
        const found = byId.get(agentId) ?? [];
        byId.set(agentId, found);
        found.push(present<DailySpending>(row));
      }
      return [...byId].map(([agentId, days]) => ({ agentId, days }));
    },
  };
}

const sumOf = (column: string) => `least(coalesce(sum(${column}), 0), ${Number.MAX_SAFE_INTEGER})`;

/**
 * A refused call is taken off on the day of the refusal, which can be the day after it was counted. The sum of costs
 * that are all unknown is unknown.
 */
const SUMS = `
  ${sumOf('input_tokens')} AS "inputTokens",
  ${sumOf('output_tokens')} AS "outputTokens",
  greatest(0, ${sumOf('tool_calls')}) AS "toolCalls",
  sum(cost_nano_usd) / 1000000000 AS "costUsd"`;

const WITHIN = 'WHERE tenant = $1 AND day BETWEEN $2 AND $3';

const SUMS_OF_DAYS = `SELECT ${SUMS} FROM tenant_spending ${WITHIN}`;

const DAYS = `SELECT day, ${SUMS} FROM tenant_spending ${WITHIN} GROUP BY day ORDER BY day`;

const AGENTS = `
  WITH most AS (
    SELECT agent_id, sum(input_tokens) + sum(output_tokens) AS tokens FROM agent_spending
    ${WITHIN} GROUP BY agent_id ORDER BY tokens DESC, agent_id LIMIT $4
  )
  SELECT agent_id AS "agentId", day, ${SUMS} FROM agent_spending JOIN most USING (agent_id)
  ${WITHIN} GROUP BY agent_id, tokens, day ORDER BY tokens DESC, agent_id, day`;
