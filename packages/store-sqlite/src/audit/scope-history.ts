import type { ScopeHistory, ScopeHistoryReads } from '@baton/engine/ports';
import type { BundledEntry } from '@baton/protocol';
import type { Database } from '../database/database.ts';
import { entryWriter, readTags } from '../memory/entry-writer.ts';
import { isShared, scopeFinder } from '../memory/scopes.ts';
import { isIndexed } from '../memory/words.ts';

interface HistoryColumns {
  readonly entryNo: number;
  readonly version: number;
  readonly ended: number | null;
  readonly deleted: number;
  readonly revision: number;
  readonly id: string;
  readonly content: string;
  readonly tags: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly contentType: string | null;
  readonly runId: string | null;
  readonly nodeId: string | null;
  readonly agentId: string | null;
}

/** A memory scope with its history, row by row. */
export function scopeHistories(database: Database): ScopeHistoryReads {
  const find = scopeFinder(database);
  const rows = database.prepare<HistoryColumns>(ROWS);
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
      return { scope: name, version, entries: inOrder.map((row) => toEntry(row, version)) };
    },
  };
}

function toEntry(row: HistoryColumns, upTo: number): BundledEntry {
  const { runId, nodeId, agentId } = row;
  return {
    version: row.version,
    // An entry that ended after `upTo` was still valid at `upTo`.
    ...(row.ended !== null && row.ended <= upTo && { ended: row.ended }),
    deleted: row.deleted === 1,
    revision: row.revision,
    id: row.id,
    content: row.content,
    tags: [...readTags(row.tags)],
    createdAt: row.createdAt,
    ...(row.expiresAt !== null && { expiresAt: row.expiresAt }),
    ...(row.contentType !== null && { contentType: row.contentType }),
    by: {
      ...(runId !== null && { runId }),
      ...(nodeId !== null && { nodeId }),
      ...(agentId !== null && { agentId }),
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
