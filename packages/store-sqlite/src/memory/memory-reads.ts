import {
  type EntryColumns,
  expiryDelay,
  expiryTime,
  isKept,
  isShared,
  type MemoryHistoryReads,
  type MemoryQuery,
  type MemoryReads,
  type MemoryRow,
  toMemoryRow,
} from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { preparedStatements } from '../database/prepared-statements.ts';
import { snapshots } from '../database/transaction.ts';
import { type FoundLayer, layerListings } from './listing.ts';
import { scopeFinder, scopeLister } from './scopes.ts';

interface NumberedColumns extends EntryColumns {
  readonly entryNo: number;
}

export function memoryReads(database: Database): MemoryReads {
  const find = scopeFinder(database);
  const inSnapshot = snapshots(database);
  const read = memoryReader(database);
  return {
    memory: async (query) => inSnapshot(() => read(query)),
    async scope(tenant, scope) {
      const found = find(tenant, scope);
      return found && { version: found.version, oldest: found.oldest };
    },
    scopes: scopeLister(database),
  };
}

export function memoryHistoryReads(database: Database): MemoryHistoryReads {
  const find = scopeFinder(database);
  const inSnapshot = snapshots(database);
  const read = memoryReader(database);
  return {
    keptMemory: async (query) =>
      inSnapshot(() => {
        const kept = query.view.every((layer) => isKept(find(query.tenant, layer.scope), layer));
        return kept ? read(query) : undefined;
      }),
  };
}

function memoryReader(database: Database): (query: MemoryQuery) => readonly MemoryRow[] {
  const find = scopeFinder(database);
  const prepared = preparedStatements(database);

  /** Numbers of rows grow with each write, so the newest row has the highest number. */
  function rowsOf(query: MemoryQuery, layer: FoundLayer, limit: number): readonly NumberedColumns[] {
    const found = layerListings(query, layer, limit).map(({ sql, values, accepts }) => {
      const rows = prepared<NumberedColumns>(sql).all(...values);
      return accepts === undefined ? rows : rows.filter((row) => accepts(row.content));
    });
    if (found.length === 1) return found.flat();
    return found
      .flat()
      .sort((a, b) => b.entryNo - a.entryNo)
      .slice(0, limit);
  }

  return (query) => {
    const rows: MemoryRow[] = [];
    const above: FoundLayer['above'][number][] = [];
    for (const seen of query.view) {
      const { scope, version } = seen;
      const limit = query.limit - rows.length;
      if (limit <= 0) break;
      const head = find(query.tenant, scope);
      if (head === undefined) continue;
      const layer = {
        scopeNo: head.scopeNo,
        shared: isShared(scope),
        version,
        newest: version >= head.version,
        at: expiryTime(seen, query.now),
        above: [...above],
      };
      for (const row of rowsOf(query, layer, limit)) rows.push(toMemoryRow(scope, row, expiryDelay(seen)));
      above.push([head.scopeNo, version]);
    }
    return rows;
  };
}
