import type { RunReads, StorageReads, Store } from '@baton/engine/ports';
import { RUN_STATUSES } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { snapshots } from '../database/transaction.ts';

/** Numbers about the whole store, or about a tenant. Only indexes are read. */

interface Counted {
  readonly count: number;
}

export function runCounter(database: Database): RunReads['runCounts'] {
  const all = database.prepare<Counted>(ALL);
  const rare = database.prepare<Counted>(RARE);
  const inSnapshot = snapshots(database);
  return async (tenant, most) =>
    inSnapshot(() => {
      const total = all.get(tenant, most)?.count ?? 0;
      const others = RUN_STATUSES.filter((status) => status !== 'completed').map(
        (status) => [status, rare.get(tenant, status, most)?.count ?? 0] as const,
      );
      // The index by status leaves completed runs out.
      const completed = total - others.reduce((sum, [, count]) => sum + count, 0);
      const counts = [...others, ['completed', completed] as const].filter(([, count]) => count > 0);
      return { total, byStatus: Object.fromEntries(counts) };
    });
}

export function storageReads(database: Database): StorageReads {
  const size = database.prepare<{ bytes: number }>(SIZE);
  const runs = database.prepare<Counted>('SELECT coalesce(max(run_no), 0) AS count FROM runs');
  const events = database.prepare<Counted>('SELECT coalesce(max(pos), 0) AS count FROM events');
  return {
    storageFacts: async () => ({
      kind: 'sqlite',
      bytes: size.get()?.bytes ?? 0,
      runs: runs.get()?.count ?? 0,
      events: events.get()?.count ?? 0,
    }),
  };
}

const ALL = `
  SELECT count(*) AS count
  FROM (SELECT 1 FROM runs INDEXED BY runs_by_tenant WHERE tenant = ? LIMIT ?)`;

const RARE = `
  SELECT count(*) AS count
  FROM (SELECT 1 FROM runs INDEXED BY runs_by_status WHERE tenant = ? AND status = ? AND status <> 'completed' LIMIT ?)`;

const SIZE = `
  SELECT pages.page_count * size.page_size AS bytes FROM pragma_page_count AS pages, pragma_page_size AS size`;

export function usageReads(database: Database): Pick<Store, 'bytesOf'> {
  const usage = database.prepare<{ bytes: number }>('SELECT bytes FROM tenant_usage WHERE tenant = ?');
  return { bytesOf: async (tenant) => usage.get(tenant)?.bytes ?? 0 };
}
