import { isIndexed, isShared, type MemoryChange, readTags } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';
import { type EntryWriter, entryWriter } from './entry-writer.ts';
import { scopeFinder, scopeMover } from './scopes.ts';

/** Writes one change in a transaction. False if the memory scope has another version than expected. */
export function memoryWriter(database: Database): (change: MemoryChange) => boolean {
  const moveOn = scopeMover(database);
  const entries = entryWriter(database);
  const carry = carrier(database, entries);
  return (change) => {
    const scopeNo = moveOn(change);
    if (scopeNo === undefined) return false;
    switch (change.kind) {
      case 'write':
        entries.write(scopeNo, change);
        return true;
      case 'forget':
        entries.forget(scopeNo, change);
        return true;
      case 'carry':
        return carry(scopeNo, change);
    }
  };
}

type Carry = Extract<MemoryChange, { kind: 'carry' }>;

interface CarriedColumns {
  readonly scopeNo: number;
  readonly entryNo: number;
  readonly deleted: number;
  readonly revision: number;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly id: string;
  readonly tags: string | null;
  readonly contentType: string | null;
  readonly runId: string | null;
  readonly nodeId: string | null;
  readonly agentId: string | null;
}

/**
 * Copies the newest version of each entry into another memory scope. Deletions are copied too: they may hide
 * an entry in a layer below the target. Returns false if the source has not reached the expected version.
 */
function carrier(database: Database, entries: EntryWriter): (scopeNo: number, change: Carry) => boolean {
  const find = scopeFinder(database);
  const newest = database.prepare<CarriedColumns>(NEWEST);
  const forgotten = database.prepare<{ found: 1 }>(FORGOTTEN);
  const copy = database.prepare(COPY);

  /** Continues the revisions of the entry in the target, unless the entry was deleted in the source. */
  function revisionOf(row: CarriedColumns, before: number, upTo: number): number {
    const goesOn = before > 0 && row.deleted === 0 && forgotten.get(row.scopeNo, row.id, upTo) === undefined;
    return row.revision + (goesOn ? before : 0);
  }

  function copyRow(scopeNo: number, change: Carry, row: CarriedColumns, indexed: boolean): void {
    const before = entries.supersede(scopeNo, row.id, change);
    const version = change.expectedVersion + 1;
    const expiresAt = row.expiresAt === null ? null : row.expiresAt + (change.expiryDelay ?? 0);
    const spentAt = row.deleted === 1 ? change.at : expiresAt;
    const { lastInsertRowid: entryNo } = copy.run(
      scopeNo,
      version,
      row.deleted,
      indexed ? 1 : 0,
      revisionOf(row, before, change.upTo),
      row.createdAt,
      expiresAt,
      isShared(change.scope) ? spentAt : null,
      row.id,
      row.tags,
      row.contentType,
      row.runId,
      row.nodeId,
      row.agentId,
      row.entryNo,
    );
    entries.addTags(scopeNo, version, entryNo, readTags(row.tags));
    if (indexed) entries.addWords(entryNo);
  }

  return (scopeNo, change) => {
    const { tenant, from, upTo } = change;
    if (upTo === 0) return true;
    const found = newest.all(tenant, from, upTo, upTo, upTo);
    if (found.length === 0) return (find(tenant, from)?.version ?? 0) >= upTo;
    // Numbers of rows grow with each write, so this is also the order of their versions.
    const rows = [...found].sort((a, b) => a.entryNo - b.entryNo);
    const indexed = isIndexed(change.scope, change.expectedVersion + 1, rows.length);
    for (const row of rows) copyRow(scopeNo, change, row, indexed && row.deleted === 0);
    return true;
  };
}

const NEWEST = `
  SELECT scope_no AS scopeNo, entry_no AS entryNo, deleted, revision, created_at AS createdAt,
    expires_at AS expiresAt, id, tags, content_type AS contentType, run_id AS runId, node_id AS nodeId,
    agent_id AS agentId
  FROM entries INDEXED BY entries_by_id
  WHERE scope_no = (SELECT scope_no FROM scopes WHERE tenant = ? AND name = ? AND version >= ?)
    AND version <= ? AND (ended IS NULL OR ended > ?)`;

const FORGOTTEN = `
  SELECT 1 AS found FROM entries INDEXED BY entries_by_id
  WHERE scope_no = ? AND id = ? AND version <= ? AND deleted = 1 LIMIT 1`;

/** Copies one row by its values. INSERT … SELECT on the same table would use a temporary table. */
const COPY = `
  INSERT INTO entries (scope_no, version, deleted, indexed, revision, created_at, expires_at, spent_at, id,
    tags, content_type, run_id, node_id, agent_id, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT content FROM entries WHERE entry_no = ?))`;
