import { isIndexed, isShared, type MemoryChange, readTags } from '@baton/engine/ports';
import type { Database } from '../database/database.ts';

type Write = Extract<MemoryChange, { kind: 'write' }>;
type Forget = Extract<MemoryChange, { kind: 'forget' }>;

interface NewestColumns {
  readonly entryNo: number;
  readonly version: number;
  readonly ended: number | null;
  readonly deleted: number;
  readonly revision: number;
  readonly expiresAt: number | null;
  readonly tags: string | null;
}

/** Adds rows to memory scopes whose version has already been increased. */
export interface EntryWriter {
  write(scopeNo: number, change: Write): void;
  forget(scopeNo: number, change: Forget): void;
  /** Ends the present row of an entry, and returns its revision; 0 if there is no valid row. */
  supersede(scopeNo: number, id: string, change: MemoryChange): number;
  addTags(scopeNo: number, version: number, entryNo: number, tags: readonly string[]): void;
  /** Must be called for each new row with `indexed = 1`. */
  addWords(entryNo: number): void;
}

export function entryWriter(database: Database): EntryWriter {
  const { newest, end, endTag, addTag, words } = entryStatements(database);
  const addRow = rowAdder(database);

  function supersede(scopeNo: number, id: string, change: MemoryChange): number {
    // A new memory scope has no entries.
    if (change.expectedVersion === 0) return 0;
    const row = newest.get(scopeNo, id);
    // The newest row has ended, and no row follows it: the rows after it had expired and were removed.
    if (row === undefined || row.ended !== null) return 0;
    const version = change.expectedVersion + 1;
    end.run(version, isShared(change.scope) ? change.at : null, row.entryNo);
    for (const tag of readTags(row.tags)) endTag.run(version, scopeNo, tag, row.version, row.entryNo);
    const gone = row.deleted === 1 || (row.expiresAt !== null && row.expiresAt <= change.at);
    return gone ? 0 : row.revision;
  }

  function addTags(scopeNo: number, version: number, entryNo: number, tags: readonly string[]): void {
    for (const tag of tags) addTag.run(scopeNo, tag, version, entryNo);
  }

  function addWords(entryNo: number): void {
    words.run(entryNo);
  }

  return {
    write(scopeNo, change) {
      const { content, tags, expiresAt = null, contentType = null } = change;
      const version = change.expectedVersion + 1;
      const indexed = isIndexed(change.scope, version, 1) ? 1 : 0;
      const revision = supersede(scopeNo, change.id, change) + 1;
      const entryNo = addRow(scopeNo, change, {
        deleted: 0,
        indexed,
        revision,
        expiresAt,
        spentAt: expiresAt,
        tags,
        contentType,
        content,
      });
      addTags(scopeNo, version, entryNo, tags);
      if (indexed) addWords(entryNo);
    },
    forget(scopeNo, change) {
      supersede(scopeNo, change.id, change);
      addRow(scopeNo, change, { ...DELETION, spentAt: change.at });
    },
    supersede,
    addTags,
    addWords,
  };
}

function entryStatements(database: Database) {
  return {
    newest: database.prepare<NewestColumns>(NEWEST),
    end: database.prepare('UPDATE entries SET ended = ?, spent_at = ? WHERE entry_no = ?'),
    endTag: database.prepare(
      'UPDATE entry_tags SET ended = ? WHERE scope_no = ? AND tag = ? AND version = ? AND entry_no = ?',
    ),
    addTag: database.prepare(
      `INSERT INTO entry_tags (scope_no, tag, version, entry_no) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    words: database.prepare(ADD_WORDS),
  };
}

/** Adds a row and returns its number. */
function rowAdder(database: Database): (scopeNo: number, change: Write | Forget, row: NewRow) => number {
  const add = database.prepare(ADD);
  return (scopeNo, change, row) => {
    const { runId, nodeId, agentId } = change.by;
    return add.run(
      scopeNo,
      change.expectedVersion + 1,
      row.deleted,
      row.indexed,
      row.revision,
      change.at,
      row.expiresAt,
      isShared(change.scope) ? row.spentAt : null,
      change.id,
      row.tags.length === 0 ? null : JSON.stringify(row.tags),
      row.contentType,
      runId ?? null,
      nodeId ?? null,
      agentId ?? null,
      row.content,
    ).lastInsertRowid;
  };
}

interface NewRow {
  readonly deleted: 0 | 1;
  readonly indexed: 0 | 1;
  readonly revision: number;
  readonly expiresAt: number | null;
  readonly spentAt: number | null;
  readonly tags: readonly string[];
  readonly contentType: string | null;
  readonly content: string;
}

const DELETION = {
  deleted: 1,
  indexed: 0,
  revision: 0,
  expiresAt: null,
  tags: [],
  contentType: null,
  content: '',
} as const;

const NEWEST = `
  SELECT entry_no AS entryNo, version, ended, deleted, revision, expires_at AS expiresAt, tags
  FROM entries INDEXED BY entries_by_id
  WHERE scope_no = ? AND id = ? ORDER BY version DESC LIMIT 1`;

const ADD = `
  INSERT INTO entries (scope_no, version, deleted, indexed, revision, created_at, expires_at, spent_at, id,
    tags, content_type, run_id, node_id, agent_id, content)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export const ADD_WORDS = `
  INSERT INTO entry_words (rowid, scope_no, content)
  SELECT entry_no, scope_no, content FROM entries WHERE entry_no = ?`;
