import type { Spending, SpentOnDay } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { toNanoUsd } from '../queries/tenant-spending.ts';

/**
 * Adds what tenants and their agents used, gathered over a group of slices: one statement for each tenant and day, and
 * one for each of its agents.
 */
interface SpendingCounter {
  add(spent: SpentOnDay): void;
  /** Writes the gathered counts. */
  flush(): void;
  /** Drops the gathered counts after the transaction was rolled back. */
  drop(): void;
}

export function spendingCounter(database: Database): SpendingCounter {
  const tenants = gathered(database, 'tenant_spending', ['tenant', 'day']);
  const agents = gathered(database, 'agent_spending', ['tenant', 'day', 'agent_id']);
  return {
    add(spent) {
      const { tenant, day } = spent;
      tenants.add([tenant, day], spent);
      for (const part of spent.agents ?? []) agents.add([tenant, day, part.agentId], part);
    },
    flush() {
      tenants.flush();
      agents.flush();
    },
    drop() {
      tenants.drop();
      agents.drop();
    },
  };
}

interface Row {
  readonly key: readonly (string | number)[];
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  nanoUsd: number | null;
}

/** The counts that wait to be added to the rows of one table. */
function gathered(database: Database, table: string, columns: readonly string[]) {
  const count = database.prepare(countIn(table, columns));
  const pending = new Map<string, Row>();
  return {
    add(key: Row['key'], { inputTokens, outputTokens, toolCalls, costUsd }: Spending): void {
      const name = JSON.stringify(key);
      const row = pending.get(name) ?? { key, inputTokens: 0, outputTokens: 0, toolCalls: 0, nanoUsd: null };
      row.inputTokens = bounded(row.inputTokens + inputTokens);
      row.outputTokens = bounded(row.outputTokens + outputTokens);
      row.toolCalls = bounded(row.toolCalls + toolCalls);
      if (costUsd !== undefined) row.nanoUsd = bounded((row.nanoUsd ?? 0) + toNanoUsd(costUsd));
      pending.set(name, row);
    },
    flush(): void {
      for (const { key, inputTokens, outputTokens, toolCalls, nanoUsd } of pending.values())
        count.run(...key, inputTokens, outputTokens, toolCalls, nanoUsd);
      pending.clear();
    },
    drop: () => pending.clear(),
  };
}

/** A provider may report any number of tokens. A count that has reached the largest number stays there. */
function bounded(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
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
