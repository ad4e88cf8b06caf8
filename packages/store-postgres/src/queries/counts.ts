import type { RunReads, StorageReads, Store } from '@baton/engine/ports';
import { RUN_STATUSES, type RunStatus } from '@baton/protocol';
import type { Database } from '../database/database.ts';

/** Numbers about the whole store, or about a tenant. Only indexes are read. */

/** The index by status leaves completed runs out. */
const RARE = RUN_STATUSES.filter((status) => status !== 'completed');

/** Up to this number rows are counted. Beyond it, the server's own statistics are good enough. */
const COUNTED = 10_000;

export function runCounter(database: Database): RunReads['runCounts'] {
  return async (tenant, most) => {
    const rows = await database.rows<{ status: RunStatus | null; count: number }>(COUNTS, tenant, most, RARE);
    const total = rows.find(({ status }) => status === null)?.count ?? 0;
    const others = rows.flatMap(({ status, count }) => (status === null ? [] : [[status, count] as const]));
    const completed = total - others.reduce((sum, [, count]) => sum + count, 0);
    const counts = [...others, ['completed', completed] as const].filter(([, count]) => count > 0);
    return { total, byStatus: Object.fromEntries(counts) };
  };
}

export function storageReads(database: Database): StorageReads {
  return {
    async storageFacts() {
      const facts = await database.row<{ bytes: number; runs: number; events: number }>(FACTS, COUNTED);
      const { bytes, runs, events } = facts ?? { bytes: 0, runs: 0, events: 0 };
      return { kind: 'postgres', bytes, runs, events };
    },
  };
}

const COUNTS = `
  SELECT NULL AS status, count(*) AS count FROM (SELECT FROM runs WHERE tenant = $1 LIMIT $2) AS every
  UNION ALL
  SELECT rare.status, found.count
  FROM unnest($3::text[]) AS rare (status)
  CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM (
      SELECT FROM runs WHERE tenant = $1 AND runs.status = rare.status AND runs.status <> 'completed' LIMIT $2
    ) AS rows
  ) AS found`;

/**
 * How many rows a table has had. Of a large table, this is the number of insertions that the server has counted; after
 * a crash, which resets this number, it is the number of rows that the last analysis has estimated.
 */
const everStored = (table: 'runs' | 'events') => `
  (SELECT CASE WHEN counted.rows <= $1 THEN counted.rows ELSE greatest(
      counted.rows, pg_stat_get_tuples_inserted('${table}'::regclass),
      (SELECT reltuples::bigint FROM pg_class WHERE oid = '${table}'::regclass)) END
   FROM (SELECT count(*) AS rows FROM (SELECT FROM ${table} LIMIT $1 + 1) AS first_rows) AS counted)`;

const FACTS = `
  SELECT pg_database_size(current_database()) AS bytes, ${everStored('runs')} AS runs, ${everStored('events')} AS events`;

export function usageReads(database: Database): Pick<Store, 'bytesOf'> {
  return {
    async bytesOf(tenant) {
      const usage = await database.row<{ bytes: number }>(BYTES, tenant);
      return usage?.bytes ?? 0;
    },
  };
}

/** One part may be below zero, because a removal may be counted in another part than the addition. */
const BYTES = 'SELECT greatest(sum(bytes), 0) AS bytes FROM tenant_usage WHERE tenant = $1';
