import { type HistoryColumns, type ScopeHistoryReads, toBundledEntry } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { scopeFinder } from '../memory/scopes.ts';

interface NumberedColumns extends Omit<HistoryColumns, 'deleted'> {
  readonly entryNo: number;
  readonly deleted: number;
}

/** A memory scope with its history, row by row. */
export function scopeHistories(database: Database): ScopeHistoryReads {
  const find = scopeFinder(database);
  const rows = database.prepare<NumberedColumns>(ROWS);
  const size = database.prepare<{ bytes: number | null }>(SIZE);
  return {
    async scopeBytes(tenant, name, upTo) {
      const scope = find(tenant, name);
      return (scope && size.get(scope.scopeNo, upTo)?.bytes) ?? 0;
    },
    async scopeHistory(tenant, name, upTo) {
      const scope = find(tenant, name);
      if (scope === undefined) return undefined;
      const version = Math.min(scope.version, upTo);
      const found = rows.all(scope.scopeNo, version);
      const inOrder = [...found].sort((a, b) => a.version - b.version || a.entryNo - b.entryNo);
      const toEntry = (row: NumberedColumns) =>
        toBundledEntry({ ...row, deleted: row.deleted === 1 }, version);
      return { scope: name, version, entries: inOrder.map(toEntry) };
    },
  };
}

/** Bytes, not characters: to count characters, SQLite would have to read every content. */
const SIZE = `
  SELECT sum(octet_length(content) + 128) AS bytes
  FROM entries INDEXED BY entries_by_id WHERE scope_no = ? AND version <= ?`;

const ROWS = `
  SELECT entry_no AS entryNo, version, ended, deleted, revision, id, content, tags, created_at AS createdAt, expires_at AS expiresAt,
    content_type AS contentType, run_id AS runId, node_id AS nodeId, agent_id AS agentId
  FROM entries INDEXED BY entries_by_id WHERE scope_no = ? AND version <= ?`;
