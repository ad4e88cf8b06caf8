import type { MemoryQuery } from '@baton/engine/ports';
import type { Value } from '../database/database.ts';
import { wordsQuery } from './words.ts';

/** A layer of a view that is there, and what lies on top of it. */
export interface FoundLayer {
  readonly scopeNo: number;
  readonly version: number;
  /** Nothing has happened in the scope since that version. */
  readonly newest: boolean;
  /** When expiry is judged. */
  readonly at: number;
  readonly above: readonly (readonly [scopeNo: number, version: number])[];
}

export interface Listing {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** What a query finds in one layer, newest first; undefined when it can find nothing anywhere. */
export function layerListing(query: MemoryQuery, layer: FoundLayer, limit: number): Listing | undefined {
  const found = source(query, layer);
  if (found === undefined) return undefined;
  const conditions = [...found.conditions];
  const values = [...found.values];
  const filter = (condition: string, ...more: readonly Value[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  filter('entry.deleted = 0 AND (entry.expires_at IS NULL OR entry.expires_at > ?)', layer.at);
  if (query.id !== undefined) filter('entry.id = ?', query.id);
  if (query.prefix !== undefined) filter(BEGINS_WITH, query.prefix, query.prefix);
  if (query.tag !== undefined && (query.text !== undefined || query.id !== undefined)) {
    filter('EXISTS (SELECT 1 FROM json_each(entry.tags) WHERE value = ?)', query.tag);
  }
  if (layer.above.length > 0) filter(NOT_HIDDEN);
  const above = layer.above.length > 0 ? [JSON.stringify(layer.above)] : [];
  const sql = `${above.length > 0 ? ABOVE : ''}
  SELECT ${COLUMNS}
  FROM ${found.from}
  WHERE ${conditions.join('\n    AND ')}
  ORDER BY ${found.order} LIMIT ?`;
  return { sql, values: [...above, ...values, limit] };
}

interface Source {
  readonly from: string;
  readonly conditions: readonly string[];
  readonly values: readonly Value[];
  readonly order: string;
}

/** Where the rows come from. Each but a prefix yields them in order; the planner has no statistics to choose by. */
function source(query: MemoryQuery, layer: FoundLayer): Source | undefined {
  const { scopeNo, version } = layer;
  const order = 'entry.version DESC, entry.entry_no DESC';
  const here = holds('entry', layer);
  if (query.text !== undefined) {
    const words = wordsQuery(scopeNo, query.text);
    if (words === undefined) return undefined;
    return {
      from: 'entry_words CROSS JOIN entries AS entry ON entry.entry_no = entry_words.rowid',
      conditions: ['entry_words MATCH ? AND entry.scope_no = ?', here.condition],
      values: [words, scopeNo, ...here.values],
      order: 'entry_words.rowid DESC',
    };
  }
  if (query.id !== undefined) {
    return {
      from: 'entries AS entry',
      conditions: [NEWEST_OF_ID, here.condition],
      values: [scopeNo, query.id, version, ...here.values],
      order,
    };
  }
  if (query.tag !== undefined) {
    const tagged = holds('tagged', layer);
    return {
      from: `entry_tags AS tagged ${layer.newest ? 'INDEXED BY entry_tags_live' : 'NOT INDEXED'}
    CROSS JOIN entries AS entry ON entry.entry_no = tagged.entry_no`,
      conditions: ['tagged.scope_no = ? AND tagged.tag = ?', tagged.condition],
      values: [scopeNo, query.tag, ...tagged.values],
      order: 'tagged.version DESC, tagged.entry_no DESC',
    };
  }
  const index =
    query.prefix !== undefined ? 'entries_by_id' : layer.newest ? 'entries_live' : 'entries_history';
  return {
    from: `entries AS entry INDEXED BY ${index}`,
    conditions: ['entry.scope_no = ?', here.condition],
    values: [scopeNo, ...here.values],
    order,
  };
}

/** That a row was there at the layer's version. */
function holds(
  row: string,
  { version, newest }: FoundLayer,
): { condition: string; values: readonly Value[] } {
  return newest
    ? { condition: `${row}.version <= ? AND ${row}.ended IS NULL`, values: [version] }
    : {
        condition: `${row}.version <= ? AND (${row}.ended IS NULL OR ${row}.ended > ?)`,
        values: [version, version],
      };
}

const COLUMNS = `entry.id, entry.content, entry.tags, entry.created_at AS createdAt, entry.expires_at AS expiresAt,
    entry.content_type AS contentType, entry.version, entry.revision, entry.run_id AS runId,
    entry.node_id AS nodeId, entry.agent_id AS agentId`;

const NEWEST_OF_ID = `entry.entry_no = (
      SELECT entry_no FROM entries INDEXED BY entries_by_id
      WHERE scope_no = ? AND id = ? AND version <= ? ORDER BY version DESC LIMIT 1)`;

/** No text has a byte 255, so everything that begins with the prefix sorts before the prefix with one behind it. */
const BEGINS_WITH = "entry.id >= ? AND entry.id < ? || x'ff'";

const ABOVE = `
  WITH above (scope_no, version) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

/** Whatever an upper layer says of an entry, also that it was forgotten, hides what lower ones say. */
const NOT_HIDDEN = `NOT EXISTS (
      SELECT 1 FROM above CROSS JOIN entries AS upper INDEXED BY entries_by_id
      WHERE upper.scope_no = above.scope_no AND upper.id = entry.id AND upper.version <= above.version)`;
