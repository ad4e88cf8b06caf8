import { type MemoryQuery, wordsMatcher } from '@baton/engine/ports';
import type { Value } from '../database/database.ts';
import { wordsQuery } from './words.ts';

/** A layer of a view whose memory scope exists, and the layers above it. */
export interface FoundLayer {
  readonly scopeNo: number;
  readonly version: number;
  /** True if `version` is the newest version of the memory scope. */
  readonly newest: boolean;
  /** The time at which expiry is judged. */
  readonly at: number;
  readonly above: readonly Pick<FoundLayer, 'scopeNo' | 'version'>[];
}

/** A row to go on after. */
interface Place {
  readonly version: number;
  readonly entryNo: number;
}

/** A statement that returns the newest rows first. */
export interface Listing {
  readonly sql: string;
  /** Returns the values for at most `limit` rows, after the given place. */
  values(limit: number, after?: Place): readonly Value[];
  /** Filters the found contents. Without it, all of them belong to the result. */
  readonly accepts?: (content: string) => boolean;
}

/** The statements whose results together answer a query in one layer. The list is empty if no row can match. */
export function layerListings(query: MemoryQuery, layer: FoundLayer): readonly Listing[] {
  return sourcesOf(query, layer).map((source) => listing(query, layer, source));
}

/** Collects the values of a statement, and returns their names in it. */
type Add = (value: Value) => string;

/** Where to find rows. */
interface Source {
  /** Rows are found by a label in `entry_tags`. */
  readonly labelled?: true;
  where(add: Add): string;
  /** Rows are sorted after they were found, by an index that does not have their order. */
  readonly sorted?: true;
  readonly accepts?: Listing['accepts'];
}

/** Before the first page. */
const START: Place = { version: Number.MAX_SAFE_INTEGER, entryNo: 0 };

function listing(query: MemoryQuery, layer: FoundLayer, source: Source): Listing {
  const values: Value[] = [];
  const add = (value: Value) => `$${values.push(value)}`;
  const [version, entryNo, most] = [add(0), add(0), add(0)];
  const row = source.labelled ? 'label' : 'entry';
  const wanted = source.labelled ? { ...query, tag: undefined } : query;
  const conditions = [source.where(add), ...filters(wanted, layer, add)];
  // Without the sum, Postgres might read all entries in their order until it has found enough.
  const order = `${row}.version${source.sorted ? ' + 0' : ''}`;
  const sql = `
  SELECT ${COLUMNS}
  FROM (
    SELECT entry.entry_no FROM ${source.labelled ? LABELLED : 'entries AS entry'}
    WHERE ${conditions.join('\n      AND ')}
      AND (${row}.version, ${row}.entry_no) < (${version}::bigint, ${entryNo}::bigint)
    ORDER BY ${order} DESC, ${row}.entry_no DESC LIMIT ${most}::bigint
  ) AS found JOIN entries AS entry USING (entry_no)
  ORDER BY entry.version DESC, entry.entry_no DESC`;
  return {
    sql,
    values: (limit, after = START) => [after.version, after.entryNo, limit, ...values.slice(3)],
    ...(source.accepts && { accepts: source.accepts }),
  };
}

const LABELLED = 'entry_tags AS label JOIN entries AS entry ON entry.entry_no = label.entry_no';

type Filters = { readonly [Filter in 'id' | 'prefix' | 'tag']?: string | undefined };

function filters({ id, prefix, tag }: Filters, layer: FoundLayer, add: Add): readonly string[] {
  const conditions = [
    `NOT entry.deleted AND (entry.expires_at IS NULL OR entry.expires_at > ${add(layer.at)})`,
  ];
  if (id !== undefined) conditions.push(`entry.id = ${add(Buffer.from(id))}`);
  if (prefix !== undefined) conditions.push(beginsWith(prefix, add));
  if (tag !== undefined) {
    const tagged = `tagged.entry_no = entry.entry_no AND tagged.tag = ${add(Buffer.from(tag))}`;
    conditions.push(`EXISTS (SELECT 1 FROM entry_tags AS tagged WHERE ${tagged})`);
  }
  if (layer.above.length > 0) conditions.push(notHidden(layer, add));
  return conditions;
}

/** UTF-8 has no byte 255, so texts that begin with the prefix sort before the prefix plus that byte. */
function beginsWith(prefix: string, add: Add): string {
  const first = Buffer.from(prefix);
  return `entry.id >= ${add(first)} AND entry.id < ${add(Buffer.concat([first, Buffer.of(0xff)]))}`;
}

/** An entry in an upper layer hides the same entry in lower layers, also if the upper one was deleted. */
function notHidden({ above }: FoundLayer, add: Add): string {
  const scopeNos = add(above.map(({ scopeNo }) => scopeNo));
  const versions = add(above.map(({ version }) => version));
  return `NOT EXISTS (
        SELECT 1 FROM unnest(${scopeNos}::bigint[], ${versions}::bigint[]) AS above (scope_no, version)
        JOIN entries AS upper ON upper.scope_no = above.scope_no
        WHERE upper.id = entry.id AND upper.version <= above.version)`;
}

function sourcesOf(query: MemoryQuery, layer: FoundLayer): readonly Source[] {
  if (query.text !== undefined) return byWords(query.text, layer);
  if (query.id !== undefined) return [byId(query.id, layer)];
  if (query.tag !== undefined) return [byTag(query.tag, layer)];
  if (query.prefix !== undefined) return [byPrefix(layer)];
  return byVersion(layer);
}

/**
 * The words name the memory scope. Entries that are not in the index are found by their contents. Both take a layer for
 * a past one, because there are indexes of the newest entries that Postgres would read instead of these.
 */
function byWords(text: string, seen: FoundLayer): readonly Source[] {
  const layer = { ...seen, newest: false };
  const words = wordsQuery(layer.scopeNo, text);
  if (words === undefined) return [];
  const accepts = wordsMatcher(text);
  const indexed: Source = {
    where: (add) => `entry.words @@ ${add(words.query)}::tsquery AND ${isThere('entry', layer, add)}`,
    sorted: true,
    ...(!words.isExact && { accepts }),
  };
  const lookedThrough: Source = {
    where: (add) =>
      `entry.words IS NULL AND entry.scope_no = ${add(layer.scopeNo)} AND ${isThere('entry', layer, add)}`,
    accepts,
  };
  return [indexed, lookedThrough];
}

function byId(id: string, layer: FoundLayer): Source {
  return {
    where: (add) => `entry.entry_no = (
        SELECT entry_no FROM entries WHERE scope_no = ${add(layer.scopeNo)} AND id = ${add(Buffer.from(id))}
          AND version <= ${add(layer.version)}::bigint ORDER BY version DESC LIMIT 1)
      AND ${isThere('entry', layer, add)}`,
  };
}

function byTag(tag: string, layer: FoundLayer): Source {
  return {
    labelled: true,
    where: (add) =>
      `label.scope_no = ${add(layer.scopeNo)} AND label.tag = ${add(Buffer.from(tag))} AND ${isThere('label', layer, add)}`,
  };
}

/** Finds rows in the order of their ids. */
function byPrefix(layer: FoundLayer): Source {
  return {
    where: (add) => `entry.scope_no = ${add(layer.scopeNo)} AND ${isThere('entry', layer, add)}`,
    sorted: true,
  };
}

/** A past version consists of rows that are still valid and rows that have ended since. */
function byVersion({ scopeNo, version, newest }: FoundLayer): readonly Source[] {
  const still: Source = {
    where: (add) =>
      `entry.scope_no = ${add(scopeNo)} AND entry.version <= ${add(version)}::bigint AND entry.ended IS NULL`,
  };
  const since: Source = {
    where: (add) =>
      `entry.scope_no = ${add(scopeNo)} AND entry.version <= ${add(version)}::bigint AND entry.ended > ${add(version)}::bigint`,
    sorted: true,
  };
  return newest ? [still] : [still, since];
}

function isThere(row: string, { version, newest }: FoundLayer, add: Add): string {
  const upTo = `${row}.version <= ${add(version)}::bigint`;
  if (newest) return `${upTo} AND ${row}.ended IS NULL`;
  return `${upTo} AND (${row}.ended IS NULL OR ${row}.ended > ${add(version)}::bigint)`;
}

const COLUMNS = `entry.entry_no AS "entryNo", entry.id, entry.content, entry.tags, entry.created_at AS "createdAt",
    entry.expires_at AS "expiresAt", entry.content_type AS "contentType", entry.version, entry.revision,
    entry.run_id AS "runId", entry.node_id AS "nodeId", entry.agent_id AS "agentId"`;
