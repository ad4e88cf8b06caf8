import {
  type EntryColumns,
  expiryDelay,
  expiryTime,
  isKept,
  type MemoryHistoryReads,
  type MemoryQuery,
  type MemoryReads,
  type MemoryRow,
  toMemoryRow,
} from '@baton/engine/ports';
import type { Database, Queries } from '../database/database.ts';
import { type FoundLayer, type Listing, layerListings } from './listing.ts';
import { type FoundScope, findScope, findScopes, scopeLister } from './scopes.ts';

interface StoredColumns extends Omit<EntryColumns, 'id' | 'content'> {
  readonly entryNo: number;
  readonly id: Buffer;
  readonly content: Buffer;
}

/** Where contents must be compared, more rows are read with each page, but so few that they fit in memory. */
const FIRST_PAGE = 64;
const LARGEST_PAGE = 512;

export function memoryReads(database: Database): MemoryReads {
  return {
    memory: (query) =>
      isEmpty(query)
        ? Promise.resolve([])
        : database.snapshot(async (queries) => readLayers(queries, query, await headsOf(queries, query))),
    async scope(tenant, scope) {
      const found = await findScope(database, tenant, scope);
      return found && { version: found.version, oldest: found.oldest };
    },
    scopes: scopeLister(database),
  };
}

export function memoryHistoryReads(database: Database): MemoryHistoryReads {
  return {
    keptMemory: (query) =>
      database.snapshot(async (queries) => {
        const heads = await headsOf(queries, query);
        const kept = query.view.every((layer) => isKept(heads.get(layer.scope), layer));
        return kept ? readLayers(queries, query, heads) : undefined;
      }),
  };
}

type Heads = ReadonlyMap<string, FoundScope>;

function isEmpty({ view, limit }: MemoryQuery): boolean {
  return view.length === 0 || limit <= 0;
}

function headsOf(queries: Queries, { tenant, view }: MemoryQuery): Promise<Heads> {
  return findScopes(
    queries,
    tenant,
    view.map(({ scope }) => scope),
  );
}

/** All layers are read at once, because most queries have few rows in each, and a round trip takes longer. */
async function readLayers(queries: Queries, query: MemoryQuery, heads: Heads): Promise<readonly MemoryRow[]> {
  if (isEmpty(query)) return [];
  const above: FoundLayer['above'][number][] = [];
  const reading = query.view.flatMap((seen) => {
    const { scope, version } = seen;
    const head = heads.get(scope);
    if (head === undefined) return [];
    const { scopeNo } = head;
    const at = expiryTime(seen, query.now);
    const layer = { scopeNo, version, newest: version >= head.version, at, above: [...above] };
    above.push({ scopeNo, version });
    return [readLayer(queries, query, layer).then((rows) => rows.map(toRow(scope, expiryDelay(seen))))];
  });
  return (await Promise.all(reading)).flat().slice(0, query.limit);
}

function toRow(scope: string, delay: number): (row: StoredColumns) => MemoryRow {
  return (row) =>
    toMemoryRow(scope, { ...row, id: row.id.toString(), content: row.content.toString() }, delay);
}

/** Numbers of rows grow with each write to a memory scope, so the newest row has the highest number. */
async function readLayer(
  queries: Queries,
  query: MemoryQuery,
  layer: FoundLayer,
): Promise<readonly StoredColumns[]> {
  const listings = layerListings(query, layer);
  const found = await Promise.all(listings.map((listing) => readListing(queries, listing, query.limit)));
  return found.flat().sort((a, b) => b.entryNo - a.entryNo);
}

async function readListing(
  queries: Queries,
  { sql, values, accepts }: Listing,
  limit: number,
): Promise<readonly StoredColumns[]> {
  if (accepts === undefined) return queries.rows<StoredColumns>(sql, ...values(limit));
  const accepted: StoredColumns[] = [];
  let last: StoredColumns | undefined;
  for (let most = FIRST_PAGE; accepted.length < limit; most = Math.min(2 * most, LARGEST_PAGE)) {
    const page = await queries.rows<StoredColumns>(sql, ...values(most, last));
    accepted.push(...page.filter((row) => accepts(row.content.toString())));
    if (page.length < most) break;
    last = page.at(-1);
  }
  return accepted.slice(0, limit);
}
