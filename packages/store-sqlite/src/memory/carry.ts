import type { MemoryChange } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type EntryWriter, readTags } from './entry-writer.ts';
import { isShared, scopeFinder } from './scopes.ts';
import { isIndexed } from './words.ts';

type Carry = Extract<MemoryChange, { kind: 'carry' }>;

interface CarriedColumns {
  readonly entryNo: number;
  readonly id: string;
  readonly deleted: number;
  readonly revision: number;
  readonly tags: string | null;
}

/**
 * Copies what is newest of each entry into another scope. Deletions are copied too: they may hide something that
 * lies below the target in somebody's view. False when the source has not come as far as it should have.
 */
export function carrier(
  database: Database,
  entries: EntryWriter,
): (scopeNo: number, change: Carry) => boolean {
  const find = scopeFinder(database);
  const newest = database.prepare<CarriedColumns>(NEWEST);
  const forgotten = database.prepare<{ found: 1 }>(FORGOTTEN);
  const copy = database.prepare(COPY);

  return (scopeNo, change) => {
    const { tenant, from, upTo, at } = change;
    if (upTo === 0) return true;
    const source = find(tenant, from);
    if (source === undefined || source.version < upTo) return false;
    const version = change.expectedVersion + 1;
    const shared = isShared(change.scope) ? 1 : 0;
    // Rows are numbered as they are written, so this is also the order of their versions.
    const rows = [...newest.all(source.scopeNo, upTo, upTo)].sort((a, b) => a.entryNo - b.entryNo);
    const indexed = isIndexed(change.scope, version, rows.length);
    for (const row of rows) {
      const before = entries.supersede(scopeNo, row.id, change);
      const goesOn =
        before > 0 && row.deleted === 0 && forgotten.get(source.scopeNo, row.id, upTo) === undefined;
      const revision = row.revision + (goesOn ? before : 0);
      const withWords = indexed && row.deleted === 0;
      const copied = copy.run(scopeNo, version, withWords ? 1 : 0, revision, shared, at, row.entryNo);
      const entryNo = copied.lastInsertRowid;
      entries.addTags(scopeNo, version, entryNo, readTags(row.tags));
      if (withWords) entries.addWords(entryNo);
    }
    return true;
  };
}

const NEWEST = `
  SELECT entry_no AS entryNo, id, deleted, revision, tags FROM entries INDEXED BY entries_by_id
  WHERE scope_no = ? AND version <= ? AND (ended IS NULL OR ended > ?)`;

const FORGOTTEN = `
  SELECT 1 AS found FROM entries INDEXED BY entries_by_id
  WHERE scope_no = ? AND id = ? AND version <= ? AND deleted = 1 LIMIT 1`;

const COPY = `
  INSERT INTO entries (scope_no, version, deleted, indexed, revision, created_at, expires_at, spent_at, id,
    tags, content_type, run_id, node_id, agent_id, content)
  SELECT ?, ?, deleted, ?, ?, created_at, expires_at, iif(?, iif(deleted, ?, expires_at), NULL), id, tags,
    content_type, run_id, node_id, agent_id, content
  FROM entries WHERE entry_no = ?`;
