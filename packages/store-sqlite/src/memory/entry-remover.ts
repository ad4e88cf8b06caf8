import type { Database } from '../database/database.ts';

/** Removes the tags of a row of memory, and its words from the index. The content must still be there. */
export function labelRemover(database: Database): (entryNo: number) => void {
  const words = database.prepare(WORDS);
  const tags = database.prepare(TAGS);
  return (entryNo) => {
    words.run(entryNo);
    tags.run(entryNo);
  };
}

/** Deletes one row of memory with its tags and its words in the index. */
export function entryRemover(database: Database): (entryNo: number) => void {
  const removeLabels = labelRemover(database);
  const row = database.prepare('DELETE FROM entries WHERE entry_no = ?');
  return (entryNo) => {
    removeLabels(entryNo);
    row.run(entryNo);
  };
}

/**
 * To delete from the index, FTS5 needs exactly the values that were inserted, and only for rows that it has.
 */
const WORDS = `
  INSERT INTO entry_words (entry_words, rowid, scope_no, content)
  SELECT 'delete', entry_no, scope_no, content FROM entries WHERE entry_no = ? AND indexed = 1`;

const TAGS = `
  DELETE FROM entry_tags WHERE (scope_no, tag, version, entry_no) IN (
    SELECT entries.scope_no, label.value, entries.version, entries.entry_no
    FROM entries CROSS JOIN json_each(entries.tags) AS label WHERE entries.entry_no = ?)`;
