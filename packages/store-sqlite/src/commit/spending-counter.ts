import { type SpendingCount, type SpentOnDay, spendingCounts } from '@baton/engine/ports';
import type { Database, Statement } from '../database/database.ts';

/** Adds what tenants and their agents used, gathered over a group of slices: one statement for each count. */
interface SpendingCounter {
  add(spent: SpentOnDay): void;
  /** Writes the gathered counts. */
  flush(): void;
  /** Drops the gathered counts after the transaction was rolled back. */
  drop(): void;
}

export function spendingCounter(database: Database): SpendingCounter {
  const ofTenants = database.prepare(countIn('tenant_spending', ['tenant', 'day']));
  const ofAgents = database.prepare(countIn('agent_spending', ['tenant', 'day', 'agent_id']));
  const counts = spendingCounts();
  const write = (into: Statement, key: readonly (string | number)[], count: SpendingCount) =>
    into.run(...key, count.inputTokens, count.outputTokens, count.toolCalls, count.nanoUsd);
  return {
    add: counts.add,
    flush() {
      for (const count of counts.tenants()) write(ofTenants, [count.tenant, count.day], count);
      for (const count of counts.agents()) write(ofAgents, [count.tenant, count.day, count.agentId], count);
      counts.clear();
    },
    drop: counts.clear,
  };
}

const added = (column: string) =>
  `${column} = min(${column} + excluded.${column}, ${Number.MAX_SAFE_INTEGER})`;

const countIn = (table: string, key: readonly string[]) => `
  INSERT INTO ${table} (${key.join(', ')}, input_tokens, output_tokens, tool_calls, cost_nano_usd)
  VALUES (${key.map(() => '?').join(', ')}, ?, ?, ?, ?)
  ON CONFLICT (${key.join(', ')}) DO UPDATE SET
    ${added('input_tokens')},
    ${added('output_tokens')},
    ${added('tool_calls')},
    cost_nano_usd = CASE
      WHEN cost_nano_usd IS NULL THEN excluded.cost_nano_usd
      WHEN excluded.cost_nano_usd IS NULL THEN cost_nano_usd
      ELSE min(cost_nano_usd + excluded.cost_nano_usd, ${Number.MAX_SAFE_INTEGER})
    END`;
