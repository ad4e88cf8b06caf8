import { isIndexed, isShared, type MemoryChange } from '@baton/engine/ports';
import type { Queries, Value } from '../database/database.ts';
import { BEGIN_SCOPE, MOVE_SCOPE } from './scopes.ts';
import { indexedWords, scopedWords } from './words.ts';

type Write = Extract<MemoryChange, { kind: 'write' }>;
type Forget = Extract<MemoryChange, { kind: 'forget' }>;

/**
 * Adds a row to a memory scope. One statement does all of it, so that the changes of a slice leave in one write. Returns
 * false if the memory scope has another version than expected.
 */
export async function addEntry(queries: Queries, change: Write | Forget): Promise<boolean> {
  const sql = change.expectedVersion === 0 ? ADD_FIRST : ADD;
  return (await queries.row(sql, ...valuesOf(change))) !== undefined;
}

function valuesOf(change: Write | Forget): readonly Value[] {
  const { tenant, scope, expectedVersion, at, by } = change;
  const { content, tags, words, expiresAt, contentType, deleted } = rowOf(change);
  return [
    tenant,
    scope,
    expectedVersion,
    isShared(scope),
    at,
    Buffer.from(change.id),
    deleted,
    expiresAt,
    deleted ? at : expiresAt,
    tags.length === 0 ? null : JSON.stringify(tags),
    contentType,
    by.runId ?? null,
    by.nodeId ?? null,
    by.agentId ?? null,
    Buffer.from(content),
    words,
    tags.map((tag) => Buffer.from(tag)),
  ];
}

interface NewRow {
  readonly deleted: boolean;
  readonly content: string;
  readonly tags: readonly string[];
  readonly words: string | null;
  readonly expiresAt: number | null;
  readonly contentType: string | null;
}

const DELETION: NewRow = {
  deleted: true,
  content: '',
  tags: [],
  words: null,
  expiresAt: null,
  contentType: null,
};

function rowOf(change: Write | Forget): NewRow {
  if (change.kind === 'forget') return DELETION;
  const { scope, expectedVersion, content, tags, expiresAt = null, contentType = null } = change;
  const words = isIndexed(scope, expectedVersion + 1, 1) ? indexedWords(content) : null;
  return { deleted: false, content, tags, words, expiresAt, contentType };
}

/** The new version of the memory scope. */
export const VERSION = '$3::bigint + 1';

/** Ends the rows in `present`, which are superseded at time `$5`. `$4` says whether the memory scope is shared. */
export const END_PRESENT = `
  ended AS (
    UPDATE entries SET ended = ${VERSION}, spent_at = CASE WHEN $4 THEN $5::bigint END
    WHERE entry_no = ANY(ARRAY(SELECT entry_no FROM present))),
  ended_tags AS (
    UPDATE entry_tags SET ended = ${VERSION} WHERE entry_no = ANY(ARRAY(SELECT entry_no FROM present))),`;

/** Ends the present row of the entry. If the newest row has ended, the rows after it had expired and were removed. */
const SUPERSEDE = `
  present AS (
    SELECT newest.* FROM scope CROSS JOIN LATERAL (
      SELECT entry_no, ended, deleted, revision, expires_at FROM entries
      WHERE entries.scope_no = scope.scope_no AND id = $6 ORDER BY version DESC LIMIT 1) AS newest
    WHERE newest.ended IS NULL),
  ${END_PRESENT}`;

const REVISION_BEFORE = `
  coalesce((SELECT revision FROM present WHERE NOT deleted AND (expires_at IS NULL OR expires_at > $5)), 0)`;

function addition(scope: string, supersede: string, revisionBefore: string): string {
  return `
  WITH scope AS (${scope}),
  ${supersede}
  added AS (
    INSERT INTO entries (scope_no, version, deleted, revision, created_at, expires_at, spent_at, id, tags,
      content_type, run_id, node_id, agent_id, content, words)
    SELECT scope.scope_no, ${VERSION}, $7, CASE WHEN $7 THEN 0 ELSE ${revisionBefore} + 1 END, $5::bigint,
      $8::bigint, CASE WHEN $4 THEN $9::bigint END, $6::bytea, $10, $11, $12, $13, $14, $15::bytea,
      CASE WHEN $16::text IS NOT NULL THEN ${scopedWords('scope.scope_no', '$16')} END
    FROM scope RETURNING entry_no, scope_no),
  tagged AS (
    INSERT INTO entry_tags (scope_no, tag, version, entry_no)
    SELECT added.scope_no, tag, ${VERSION}, added.entry_no FROM added CROSS JOIN unnest($17::bytea[]) AS tag
    ON CONFLICT DO NOTHING)
  SELECT scope_no FROM scope`;
}

/** A new memory scope has no entries. */
const ADD_FIRST = addition(BEGIN_SCOPE, '', '0');
const ADD = addition(MOVE_SCOPE, SUPERSEDE, REVISION_BEFORE);
