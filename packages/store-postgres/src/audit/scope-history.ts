import { type HistoryColumns, type ScopeHistoryReads, toBundledEntry } from '@baton/engine/ports';
import type { BundledEntry } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { findScope } from '../memory/scopes.ts';

interface StoredColumns extends Omit<HistoryColumns, 'id' | 'content'> {
  readonly id: Buffer;
  readonly content: Buffer;
}

/** A memory scope with its history, row by row. */
export function scopeHistories(database: Database): ScopeHistoryReads {
  return {
    async scopeBytes(tenant, name, upTo) {
      return (await database.row<{ bytes: number }>(SIZE, tenant, name, upTo))?.bytes ?? 0;
    },
    scopeHistory: (tenant, name, upTo) =>
      database.snapshot(async (queries) => {
        const scope = await findScope(queries, tenant, name);
        if (scope === undefined) return undefined;
        const version = Math.min(scope.version, upTo);
        const rows = await queries.rows<StoredColumns>(ROWS, scope.scopeNo, version);
        return { scope: name, version, entries: rows.map((row) => toEntry(row, version)) };
      }),
  };
}

function toEntry(row: StoredColumns, upTo: number): BundledEntry {
  return toBundledEntry({ ...row, id: row.id.toString(), content: row.content.toString() }, upTo);
}

const SIZE = `
  SELECT coalesce(sum(octet_length(content) + 128), 0) AS bytes FROM entries
  WHERE scope_no = (SELECT scope_no FROM scopes WHERE tenant = $1 AND name = $2) AND version <= $3`;

const ROWS = `
  SELECT version, ended, deleted, revision, id, content, tags, created_at AS "createdAt",
    expires_at AS "expiresAt", content_type AS "contentType", run_id AS "runId", node_id AS "nodeId",
    agent_id AS "agentId"
  FROM entries WHERE scope_no = $1 AND version <= $2 ORDER BY version, entry_no`;
