import {
  type HistoryColumns,
  isIndexed,
  isShared,
  type ScopeHistory,
  type ScopeHistoryReads,
  toBundledEntry,
} from '@baton/engine/ports';
import type { BundledEntry } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { entryWriter } from '../memory/entry-writer.ts';
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

/**
 * Writes an imported memory scope with its history, or a part of it. `rootNo` is the tree that it came with.
 */
export function scopeRestorer(
  database: Database,
): (tenant: string, history: ScopeHistory, rootNo: number) => void {
  const find = scopeFinder(database);
  const create = database.prepare(
    'INSERT INTO scopes (tenant, name, shared, version, oldest, import_no) VALUES (?, ?, ?, ?, 0, ?)',
  );
  const add = database.prepare(ADD);
  const endTags = database.prepare(
    'UPDATE entry_tags SET ended = ? WHERE scope_no = ? AND tag = ? AND version = ? AND entry_no = ?',
  );
  const { addTags, addWords } = entryWriter(database);

  function restore(scopeNo: number, shared: boolean, indexed: boolean, entry: BundledEntry): void {
    const { version, ended = null, tags, by, expiresAt = null } = entry;
    const spentAt = ended === null && !entry.deleted ? expiresAt : entry.createdAt;
    const { lastInsertRowid: entryNo } = add.run(
      scopeNo,
      version,
      ended,
      entry.deleted ? 1 : 0,
      indexed ? 1 : 0,
      entry.revision,
      entry.createdAt,
      expiresAt,
      shared ? spentAt : null,
      entry.id,
      tags.length === 0 ? null : JSON.stringify(tags),
      entry.contentType ?? null,
      by.runId ?? null,
      by.nodeId ?? null,
      by.agentId ?? null,
      entry.content,
    );
    if (entry.deleted) return;
    addTags(scopeNo, version, entryNo, tags);
    if (indexed) addWords(entryNo);
    if (ended !== null) for (const tag of tags) endTags.run(ended, scopeNo, tag, version, entryNo);
  }

  return (tenant, { scope, version, entries }, rootNo) => {
    const shared = isShared(scope);
    const scopeNo =
      find(tenant, scope)?.scopeNo ??
      create.run(tenant, scope, shared ? 1 : 0, version, rootNo).lastInsertRowid;
    for (const entry of entries) {
      const indexed = !entry.deleted && isIndexed(scope, entry.version, entries.length);
      restore(scopeNo, shared, indexed, entry);
    }
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

const ADD = `
  INSERT INTO entries (scope_no, version, ended, deleted, indexed, revision, created_at, expires_at, spent_at, id,
    tags, content_type, run_id, node_id, agent_id, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
