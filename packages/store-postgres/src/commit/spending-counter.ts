import type { Spending, SpentOnDay } from '@baton/engine/ports';
import { columnsOf } from '../database/columns.ts';
import { type Statement, statement } from './statement.ts';

/**
 * Adds what tenants and their agents used, gathered over a batch: one row for each tenant and day, and one for each of
 * its agents.
 */
export function writeSpending(spent: readonly SpentOnDay[]): readonly Statement[] {
  const tenants = new Map<string, Count>();
  const agents = new Map<string, Count>();
  for (const day of spent) {
    add(tenants, day, '', day);
    for (const part of day.agents ?? []) add(agents, day, part.agentId, part);
  }
  return [...written(OF_TENANTS, tenants), ...written(OF_AGENTS, agents)];
}

/** What the slices used of a tenant, or of one of its agents, on a day. */
interface Count {
  readonly tenant: string;
  readonly day: number;
  readonly agentId: string;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  nanoUsd: number | null;
}

const NANO = 1e9;

function add(counts: Map<string, Count>, { tenant, day }: SpentOnDay, agentId: string, used: Spending): void {
  const name = JSON.stringify([tenant, day, agentId]);
  const none = { tenant, day, agentId, inputTokens: 0, outputTokens: 0, toolCalls: 0, nanoUsd: null };
  const count: Count = counts.get(name) ?? none;
  count.inputTokens = bounded(count.inputTokens + used.inputTokens);
  count.outputTokens = bounded(count.outputTokens + used.outputTokens);
  count.toolCalls = bounded(count.toolCalls + used.toolCalls);
  if (used.costUsd !== undefined)
    count.nanoUsd = bounded((count.nanoUsd ?? 0) + Math.round(used.costUsd * NANO));
  counts.set(name, count);
}

/** A provider may report any number of tokens. A count that has reached the largest number stays there. */
function bounded(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}

function written(sql: string, counts: ReadonlyMap<string, Count>): readonly Statement[] {
  if (counts.size === 0) return [];
  const { bigint, text } = columnsOf([...counts.values()]);
  return [
    statement(
      sql,
      text('tenant', ({ tenant }) => tenant),
      bigint('day', ({ day }) => day),
      text('agent', ({ agentId }) => agentId),
      bigint('input tokens', ({ inputTokens }) => inputTokens),
      bigint('output tokens', ({ outputTokens }) => outputTokens),
      bigint('tool calls', ({ toolCalls }) => toolCalls),
      bigint('cost', ({ nanoUsd }) => nanoUsd),
    ),
  ];
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
