import { type SpendingCount, type SpentOnDay, spendingCounts } from '@baton/engine/ports';
import { type Statement, writing } from './statement.ts';

/** Adds what tenants and their agents used, gathered over a batch. */
export function writeSpending(spent: readonly SpentOnDay[]): readonly Statement[] {
  const counts = spendingCounts();
  for (const day of spent) counts.add(day);
  return [...written(OF_TENANTS, counts.tenants()), ...written(OF_AGENTS, counts.agents())];
}

function written(sql: string, counts: readonly SpendingCount[]): readonly Statement[] {
  return writing(sql, counts, ({ bigint, text }) => [
    text('tenant', ({ tenant }) => tenant),
    bigint('day', ({ day }) => day),
    text('agent', ({ agentId }) => agentId),
    bigint('input tokens', ({ inputTokens }) => inputTokens),
    bigint('output tokens', ({ outputTokens }) => outputTokens),
    bigint('tool calls', ({ toolCalls }) => toolCalls),
    bigint('cost', ({ nanoUsd }) => nanoUsd),
  ]);
}

/** `least` is of no use: it takes an unknown cost (null) for the larger one. */
const boundedSum = (sum: string) =>
  `CASE WHEN ${sum} > ${Number.MAX_SAFE_INTEGER} THEN ${Number.MAX_SAFE_INTEGER} ELSE ${sum} END`;

/** A cost that is not known (null) adds nothing to one that is. */
const increased = (column: string) =>
  `${column} = ${boundedSum(`coalesce(counted.${column} + excluded.${column}, excluded.${column}, counted.${column})`)}`;

/** Each connection adds to rows of its own, mostly, so that hosts do not wait for each other. */
const countIn = (table: string, key: string) => `
  INSERT INTO ${table} AS counted (${key}, part, input_tokens, output_tokens, tool_calls, cost_nano_usd)
  SELECT ${key}, pg_backend_pid() % 64, input_tokens, output_tokens, tool_calls, cost_nano_usd
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS given (tenant, day, agent_id, input_tokens, output_tokens, tool_calls, cost_nano_usd)
  ORDER BY ${key}
  ON CONFLICT (${key}, part) DO UPDATE SET
    ${['input_tokens', 'output_tokens', 'tool_calls', 'cost_nano_usd'].map(increased).join(',\n    ')}`;

const OF_TENANTS = countIn('tenant_spending', 'tenant, day');
const OF_AGENTS = countIn('agent_spending', 'tenant, day, agent_id');
