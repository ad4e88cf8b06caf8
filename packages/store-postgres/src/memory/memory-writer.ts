import { isIndexed, isShared, type MemoryChange } from '@baton/engine/ports';
import type { Queries } from '../database/database.ts';
import { addEntry, END_PRESENT, VERSION } from './entry-writer.ts';
import { BEGIN_SCOPE, MOVE_SCOPE } from './scopes.ts';
import { indexedWords, rescopedWords, scopedWords } from './words.ts';

type Carry = Extract<MemoryChange, { kind: 'carry' }>;

interface CarriedColumns {
  /** Whether the source has reached the expected version. */
  readonly isThere: boolean;
  readonly rows: number;
  /** The copied rows that are not in the index. */
  readonly unindexed: readonly number[] | null;
}

/** So few that their contents fit in memory. */
const ROWS_AT_ONCE = 32;

/**
 * Writes one change in a transaction. False if the memory scope has another version than expected. Changes may be
 * written without waiting for the earlier ones, if they are begun in their order.
 */
export function changeMemory(queries: Queries, change: MemoryChange): Promise<boolean> {
  return change.kind === 'carry' ? carry(queries, change) : addEntry(queries, change);
}

/**
 * Copies the newest version of each entry into another memory scope. Deletions are copied too: they may hide an entry in
 * a layer below the target. One statement copies, so that later changes of the slice need not wait; the words may follow
 * at any time before the end of the transaction. Returns false if the target has another version than expected, or if
 * the source has not reached the expected version.
 */
async function carry(queries: Queries, change: Carry): Promise<boolean> {
  const { tenant, scope, expectedVersion, at, from, upTo, expiryDelay = 0 } = change;
  const carried = await queries.row<CarriedColumns>(
    expectedVersion === 0 ? CARRY_FIRST : CARRY,
    tenant,
    scope,
    expectedVersion,
    isShared(scope),
    at,
    from,
    upTo,
    expiryDelay,
  );
  if (carried?.isThere !== true) return false;
  const { rows, unindexed } = carried;
  if (unindexed !== null && isIndexed(scope, expectedVersion + 1, rows)) await addWords(queries, unindexed);
  return true;
}

async function addWords(queries: Queries, entryNos: readonly number[]): Promise<void> {
  for (let first = 0; first < entryNos.length; first += ROWS_AT_ONCE) {
    const some = entryNos.slice(first, first + ROWS_AT_ONCE);
    const found = await queries.rows<{ entryNo: number; content: Buffer }>(CONTENTS, some);
    const indexed = found.flatMap(({ entryNo, content }) => {
      const words = indexedWords(content.toString());
      return words === null ? [] : [{ entryNo, words }];
    });
    await queries.run(
      ADD_WORDS,
      indexed.map(({ entryNo }) => entryNo),
      indexed.map(({ words }) => words),
    );
  }
}

/** Ends the present rows of the entries in the target, as a write does. */
const SUPERSEDE = `
  present AS (
    SELECT newest.*, CASE WHEN newest.deleted OR newest.expires_at <= $5 THEN 0 ELSE newest.revision END AS valid
    FROM carried CROSS JOIN scope CROSS JOIN LATERAL (
      SELECT id, entry_no, ended, deleted, revision, expires_at FROM entries
      WHERE entries.scope_no = scope.scope_no AND id = carried.id ORDER BY version DESC LIMIT 1) AS newest
    WHERE newest.ended IS NULL),
  ${END_PRESENT}`;

/** Continues the revisions of the entry in the target, unless the entry was deleted in the source. */
const REVISION_BEFORE = `
  CASE WHEN carried.deleted OR (
      SELECT true FROM entries AS forgotten
      WHERE forgotten.scope_no = carried.scope_no AND forgotten.id = carried.id AND forgotten.version <= $7
        AND forgotten.deleted LIMIT 1)
    THEN 0 ELSE coalesce(present.valid, 0) END`;

/**
 * Rows are copied in the order of their numbers, which is the order of their versions. They are looked up one by one:
 * Postgres does not know how few they are, and might read whole tables to join them.
 */
function copying(scope: string, supersede: string, present: string, revisionBefore: string): string {
  return `
  WITH scope AS (${scope}),
  source AS (SELECT scope_no FROM scopes WHERE tenant = $1 AND name = $6 AND version >= $7::bigint),
  carried AS (
    SELECT entries.*, ARRAY(
      SELECT tag FROM entry_tags WHERE entry_tags.entry_no = entries.entry_no) AS labels
    FROM entries WHERE scope_no = (SELECT scope_no FROM source)
      AND version <= $7 AND (ended IS NULL OR ended > $7)),
  ${supersede}
  copied AS (
    INSERT INTO entries (scope_no, version, deleted, revision, created_at, expires_at, spent_at, id, tags,
      content_type, run_id, node_id, agent_id, content, words)
    SELECT scope.scope_no, ${VERSION}, carried.deleted, carried.revision + ${revisionBefore}, carried.created_at,
      carried.expires_at + $8::bigint,
      CASE WHEN $4 THEN CASE WHEN carried.deleted THEN $5::bigint ELSE carried.expires_at + $8 END END,
      carried.id, carried.tags, carried.content_type, carried.run_id, carried.node_id, carried.agent_id,
      carried.content,
      CASE WHEN carried.words IS NOT NULL THEN ${rescopedWords('scope.scope_no', 'carried.words')} END
    FROM scope CROSS JOIN carried ${present} ORDER BY carried.entry_no
    RETURNING entry_no, scope_no, id, deleted, words),
  tagged AS (
    INSERT INTO entry_tags (scope_no, tag, version, entry_no)
    SELECT copied.scope_no, tag, ${VERSION}, copied.entry_no
    FROM copied JOIN carried USING (id) CROSS JOIN unnest(carried.labels) AS tag)
  SELECT $7 = 0 OR EXISTS (SELECT 1 FROM source) AS "isThere", (SELECT count(*) FROM copied) AS rows,
    (SELECT json_agg(entry_no) FROM copied WHERE words IS NULL AND NOT deleted) AS unindexed
  FROM scope`;
}

/** A new memory scope has no entries. */
const CARRY_FIRST = copying(BEGIN_SCOPE, '', '', '0');
const CARRY = copying(MOVE_SCOPE, SUPERSEDE, 'LEFT JOIN present USING (id)', REVISION_BEFORE);

const CONTENTS = 'SELECT entry_no AS "entryNo", content FROM entries WHERE entry_no = ANY($1)';

const ADD_WORDS = `
  UPDATE entries SET words = ${scopedWords('entries.scope_no', 'given.words')}
  FROM unnest($1::bigint[], $2::text[]) AS given (entry_no, words) WHERE entries.entry_no = given.entry_no`;
