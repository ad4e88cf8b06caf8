import { LOOKED_THROUGH, type MemoryQuery, wordsMatcher } from '@baton/engine/ports';
import type { Value } from '../database/database.ts';
import { wordsQuery } from './words.ts';

/** A layer of a view whose memory scope exists, and the layers above it. */
export interface FoundLayer {
  readonly scopeNo: number;
  /** Several runs write to the memory scope. */
  readonly shared: boolean;
  readonly version: number;
  /** True if `version` is the newest version of the memory scope. */
  readonly newest: boolean;
  /** The time at which expiry is judged. */
  readonly at: number;
  readonly above: readonly (readonly [scopeNo: number, version: number])[];
}

interface Listing {
  readonly sql: string;
  readonly values: readonly Value[];
  /** Filters the found contents. Without it, all of them belong to the result. */
  readonly accepts?: (content: string) => boolean;
}

/**
 * The statements whose results together answer a query in one layer. Each returns the newest rows first. The
 * list is empty if no row can match.
 */
export function layerListings(query: MemoryQuery, layer: FoundLayer, limit: number): readonly Listing[] {
  return sourcesOf(query, layer).map((source) => listing(query, layer, source, limit));
}

function listing(query: MemoryQuery, layer: FoundLayer, source: Source, limit: number): Listing {
  const conditions = [source.where];
  const values = [...source.values];
  const filter = (condition: string, ...more: readonly Value[]) => {
    conditions.push(condition);
    values.push(...more);
  };
  filter('entry.deleted = 0 AND (entry.expires_at IS NULL OR entry.expires_at > ?)', layer.at);
  if (query.id !== undefined) filter('entry.id = ?', query.id);
  if (query.prefix !== undefined) filter(BEGINS_WITH, query.prefix, query.prefix);
  if (query.tag !== undefined && source.filtersTag !== true) filter(HAS_TAG, query.tag);
  const hidden = layer.above.length > 0;
  if (hidden) filter(NOT_HIDDEN);
  const sql = `${hidden ? ABOVE : ''}
  SELECT ${COLUMNS}
  FROM ${source.from}
  WHERE ${conditions.join('\n    AND ')}
  ORDER BY ${source.order} LIMIT ?`;
  const { accepts } = source;
  const most = accepts === undefined ? limit : NO_LIMIT;
  return {
    sql,
    values: [...(hidden ? [JSON.stringify(layer.above)] : []), ...values, most],
    ...(accepts && { accepts }),
  };
}

/**
 * The tables and indexes to read. They are fixed here, because the planner has no statistics to choose by.
 */
interface Source {
  readonly from: string;
  readonly where: string;
  readonly values: readonly Value[];
  readonly order: string;
  readonly filtersTag?: true;
  readonly accepts?: Listing['accepts'];
}

/** Only for statements that return few rows anyway. */
const NO_LIMIT = -1;

function sourcesOf(query: MemoryQuery, layer: FoundLayer): readonly Source[] {
  if (query.text !== undefined) return byWords(query.text, layer);
  if (query.id !== undefined) return [byId(query.id, layer)];
  if (query.tag !== undefined) return [byTag(query.tag, layer)];
  if (query.prefix !== undefined) return [byPrefix(layer)];
  return byVersion(layer);
}

function byWords(text: string, layer: FoundLayer): readonly Source[] {
  const words = wordsQuery(layer.scopeNo, text);
  if (words === undefined) return [];
  const there = isThere('entry', layer);
  const indexed = {
    from: 'entry_words CROSS JOIN entries AS entry ON entry.entry_no = entry_words.rowid',
    where: `entry_words MATCH ? AND entry.scope_no = ? AND ${there.where}`,
    values: [words, layer.scopeNo, ...there.values],
    order: 'entry_words.rowid DESC',
  };
  return layer.shared ? [indexed] : [indexed, ...lookedThrough(text, layer)];
}

function lookedThrough(text: string, layer: FoundLayer): readonly Source[] {
  const accepts = wordsMatcher(text);
  return byVersion(layer, Math.min(layer.version, LOOKED_THROUGH)).map((source) => ({
    ...source,
    where: `${source.where} AND entry.indexed = 0`,
    accepts,
  }));
}

function byId(id: string, layer: FoundLayer): Source {
  const there = isThere('entry', layer);
  return {
    from: 'entries AS entry',
    where: `${NEWEST_OF_ID} AND ${there.where}`,
    values: [layer.scopeNo, id, layer.version, ...there.values],
    order: ORDER,
  };
}

function byTag(tag: string, layer: FoundLayer): Source {
  const there = isThere('tagged', layer);
  return {
    from: `entry_tags AS tagged ${layer.newest ? 'INDEXED BY entry_tags_live' : 'NOT INDEXED'}
    CROSS JOIN entries AS entry ON entry.entry_no = tagged.entry_no`,
    where: `tagged.scope_no = ? AND tagged.tag = ? AND ${there.where}`,
    values: [layer.scopeNo, tag, ...there.values],
    order: 'tagged.version DESC, tagged.entry_no DESC',
    filtersTag: true,
  };
}

/** Finds rows in the order of their ids, so all of them must be sorted by version. */
function byPrefix(layer: FoundLayer): Source {
  const there = isThere('entry', layer);
  return {
    from: `entries AS entry INDEXED BY ${layer.newest ? 'entries_live_by_id' : 'entries_by_id'}`,
    where: `entry.scope_no = ? AND ${there.where}`,
    values: [layer.scopeNo, ...there.values],
    order: ORDER,
  };
}

/** A past version consists of rows that are still valid and rows that have ended since. */
function byVersion(
  { scopeNo, version, newest }: FoundLayer,
  writtenUpTo: number = version,
): readonly Source[] {
  const still = {
    from: 'entries AS entry INDEXED BY entries_live',
    where: 'entry.scope_no = ? AND entry.version <= ? AND entry.ended IS NULL',
    values: [scopeNo, writtenUpTo],
    order: ORDER,
  };
  const since = {
    from: 'entries AS entry INDEXED BY entries_ended',
    where: 'entry.scope_no = ? AND entry.ended > ? AND entry.version <= ?',
    values: [scopeNo, version, writtenUpTo],
    order: ORDER,
  };
  return newest ? [still] : [still, since];
}

function isThere(row: string, { version, newest }: FoundLayer): Pick<Source, 'where' | 'values'> {
  return newest
    ? { where: `${row}.version <= ? AND ${row}.ended IS NULL`, values: [version] }
    : {
        where: `${row}.version <= ? AND (${row}.ended IS NULL OR ${row}.ended > ?)`,
        values: [version, version],
      };
}

const COLUMNS = `entry.entry_no AS entryNo, entry.id, entry.content, entry.tags, entry.created_at AS createdAt,
    entry.expires_at AS expiresAt, entry.content_type AS contentType, entry.version, entry.revision,
    entry.run_id AS runId, entry.node_id AS nodeId, entry.agent_id AS agentId`;

const ORDER = 'entry.version DESC, entry.entry_no DESC';

const NEWEST_OF_ID = `entry.entry_no = (
      SELECT entry_no FROM entries INDEXED BY entries_by_id
      WHERE scope_no = ? AND id = ? AND version <= ? ORDER BY version DESC LIMIT 1)`;

/** UTF-8 has no byte 255, so texts that begin with the prefix sort before the prefix plus that byte. */
const BEGINS_WITH = "entry.id >= ? AND entry.id < ? || x'ff'";

const HAS_TAG = 'EXISTS (SELECT 1 FROM json_each(entry.tags) WHERE value = ?)';

const ABOVE = `
  WITH above (scope_no, version) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

/** An entry in an upper layer hides the same entry in lower layers, also if the upper one was deleted. */
const NOT_HIDDEN = `NOT EXISTS (
      SELECT 1 FROM above CROSS JOIN entries AS upper INDEXED BY entries_by_id
      WHERE upper.scope_no = above.scope_no AND upper.id = entry.id AND upper.version <= above.version)`;
