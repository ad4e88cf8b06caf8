import type { Database } from '../database/database.ts';

/** Counts the bytes of events by tenant. Gathered over a group of slices, so that a tenant costs one statement. */
export interface UsageCounter {
  add(tenant: string, bytes: number): void;
  /** Writes what has been gathered. */
  flush(): void;
  /** Drops what has been gathered, when the transaction is given up. */
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
