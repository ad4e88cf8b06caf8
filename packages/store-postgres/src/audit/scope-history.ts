import {
  type HistoryColumns,
  isIndexed,
  isShared,
  type ScopeHistory,
  type ScopeHistoryReads,
  toBundledEntry,
} from '@baton/engine/ports';
import type { BundledEntry } from '@baton/protocol';
import type { Database, Queries, Value } from '../database/database.ts';
import { findScope } from '../memory/scopes.ts';
import { indexedWords, scopedWords } from '../memory/words.ts';

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

/** Writes an imported memory scope with its history, or a part of it. `rootNo` is the tree that it came with. */
export function scopeRestorer(
  queries: Queries,
): (tenant: string, history: ScopeHistory, rootNo: number) => Promise<void> {
  return async (tenant, { scope, version, entries }, rootNo) => {
    const shared = isShared(scope);
    await Promise.all([
      queries.run(CREATE, tenant, scope, shared, version, rootNo),
      ...entries.map((entry) => {
        const indexed = !entry.deleted && isIndexed(scope, entry.version, entries.length);
        return queries.run(RESTORE, tenant, scope, ...valuesOf(entry, shared, indexed));
      }),
    ]);
  };
}

function valuesOf(entry: BundledEntry, shared: boolean, indexed: boolean): readonly Value[] {
  const { version, ended = null, deleted, tags, by, expiresAt = null } = entry;
  const spentAt = ended === null && !deleted ? expiresAt : entry.createdAt;
  return [
    version,
    ended,
    deleted,
    entry.revision,
    entry.createdAt,
    expiresAt,
    shared ? spentAt : null,
    Buffer.from(entry.id),
    tags.length === 0 ? null : JSON.stringify(tags),
    entry.contentType ?? null,
    by.runId ?? null,
    by.nodeId ?? null,
    by.agentId ?? null,
    Buffer.from(entry.content),
    indexed ? indexedWords(entry.content) : null,
    deleted ? [] : tags.map((tag) => Buffer.from(tag)),
  ];
}

const SIZE = `
  SELECT coalesce(sum(octet_length(content) + 128), 0) AS bytes FROM entries
  WHERE scope_no = (SELECT scope_no FROM scopes WHERE tenant = $1 AND name = $2) AND version <= $3`;

const ROWS = `
  SELECT version, ended, deleted, revision, id, content, tags, created_at AS "createdAt",
    expires_at AS "expiresAt", content_type AS "contentType", run_id AS "runId", node_id AS "nodeId",
    agent_id AS "agentId"
  FROM entries WHERE scope_no = $1 AND version <= $2 ORDER BY version, entry_no`;

const CREATE = `
  INSERT INTO scopes (tenant, name, shared, version, oldest, import_no) VALUES ($1, $2, $3, $4, 0, $5)
  ON CONFLICT (tenant, name) DO NOTHING`;

const RESTORE = `
  WITH added AS (
    INSERT INTO entries (scope_no, version, ended, deleted, revision, created_at, expires_at, spent_at, id, tags,
      content_type, run_id, node_id, agent_id, content, words)
    SELECT scope_no, $3::bigint, $4::bigint, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      CASE WHEN $17::text IS NOT NULL THEN ${scopedWords('scope_no', '$17')} END
    FROM scopes WHERE tenant = $1 AND name = $2
    RETURNING scope_no, version, entry_no, ended)
  INSERT INTO entry_tags (scope_no, tag, version, entry_no, ended)
  SELECT added.scope_no, tag, added.version, added.entry_no, added.ended
  FROM added CROSS JOIN unnest($18::bytea[]) AS tag
  ON CONFLICT DO NOTHING`;
