import type { SpentOnDay } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { toNanoUsd } from '../queries/tenant-spending.ts';

/** Adds what tenants used, gathered over a group of slices: one statement for each tenant and day. */
interface SpendingCounter {
  add(spent: SpentOnDay): void;
  /** Writes the gathered counts. */
  flush(): void;
  /** Drops the gathered counts after the transaction was rolled back. */
  drop(): void;
}

interface Row {
  readonly tenant: string;
  readonly day: number;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  nanoUsd: number | null;
}

export function spendingCounter(database: Database): SpendingCounter {
  const count = database.prepare(COUNT);
  const pending = new Map<string, Row>();

  return {
    add({ tenant, day, inputTokens, outputTokens, toolCalls, costUsd }) {
      const key = `${day} ${tenant}`;
      const row = pending.get(key) ?? {
        tenant,
        day,
        inputTokens: 0,
        outputTokens: 0,
        toolCalls: 0,
        nanoUsd: null,
      };
      row.inputTokens = bounded(row.inputTokens + inputTokens);
      row.outputTokens = bounded(row.outputTokens + outputTokens);
      row.toolCalls = bounded(row.toolCalls + toolCalls);
      if (costUsd !== undefined) row.nanoUsd = bounded((row.nanoUsd ?? 0) + toNanoUsd(costUsd));
      pending.set(key, row);
    },
    flush() {
      for (const { tenant, day, inputTokens, outputTokens, toolCalls, nanoUsd } of pending.values())
        count.run(tenant, day, inputTokens, outputTokens, toolCalls, nanoUsd);
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

const COUNT = `
  INSERT INTO tenant_spending (tenant, day, input_tokens, output_tokens, tool_calls, cost_nano_usd)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant, day) DO UPDATE SET
    ${added('input_tokens')},
    ${added('output_tokens')},
    ${added('tool_calls')},
    cost_nano_usd = CASE
      WHEN cost_nano_usd IS NULL THEN excluded.cost_nano_usd
      WHEN excluded.cost_nano_usd IS NULL THEN cost_nano_usd
      ELSE min(cost_nano_usd + excluded.cost_nano_usd, ${Number.MAX_SAFE_INTEGER})
    END`;
