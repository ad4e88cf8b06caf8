import type { Database } from '../database/database.ts';

/** Counts the bytes of events by tenant, gathered over a group of slices: one statement per tenant. */
export interface UsageCounter {
  add(tenant: string, bytes: number): void;
  /** Writes the gathered counts. */
  flush(): void;
  /** Drops the gathered counts after the transaction was rolled back. */
  drop(): void;
}

export function usageCounter(database: Database): UsageCounter {
  const count = database.prepare(COUNT);
  const pending = new Map<string, number>();

  return {
    add(tenant, bytes) {
      if (bytes > 0) pending.set(tenant, (pending.get(tenant) ?? 0) + bytes);
    },
    flush() {
      for (const [tenant, bytes] of pending) count.run(tenant, bytes);
      pending.clear();
    },
    drop: () => pending.clear(),
  };
}

const COUNT = `
  INSERT INTO tenant_usage (tenant, bytes) VALUES (?, ?)
  ON CONFLICT (tenant) DO UPDATE SET bytes = bytes + excluded.bytes`;
