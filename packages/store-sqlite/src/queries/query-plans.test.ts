import type { MemoryQuery, RunQuery } from '@baton/engine/ports';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { asDatabase } from '../database/native.ts';
import { layerListings } from '../memory/listing.ts';
import { sqliteReads } from '../reads.ts';
import { migrate } from '../schema/migrate.ts';
import { sqliteStore } from '../store.ts';
import { floorOf, runListing } from './run-listing.ts';

/** The plan of every statement that the store and its reads prepare, by its text. */
function plans(): ReadonlyMap<string, string> {
  const native = new BetterSqlite3(':memory:');
  const prepared: string[] = [];
  const database = asDatabase(native);
  const recording = {
    ...database,
    prepare: <Row>(sql: string) => {
      prepared.push(sql);
      // A database in memory has no write-ahead log.
      if (sql.includes('journal_mode')) return database.prepare<Row>("SELECT 'wal' AS journal_mode");
      return database.prepare<Row>(sql);
    },
  };
  sqliteStore(recording, 'x');
  sqliteReads(recording, 'x');
  prepared.push(...LISTINGS);
  prepared.push(...memoryListings());
  return new Map(
    prepared
      .filter((sql) => /^\s*(SELECT|WITH|UPDATE|DELETE)/.test(sql))
      .map((sql) => [sql, planOf(native, sql)]),
  );
}

function planOf(native: BetterSqlite3.Database, sql: string): string {
  const values = new Array((sql.match(/\?/g) ?? []).length).fill(1);
  const steps = native.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return steps.map((step) => step.detail).join('\n');
}

const FILTERS: readonly Partial<RunQuery>[] = [
  {},
  { workflowId: 'w' },
  { tag: 't' },
  { parentRunId: 'p' },
  { roots: true },
  { text: 't' },
  { createdFrom: 1, createdBefore: 2 },
  { workflowId: 'w', tag: 't', text: 't' },
  { parentRunId: 'p', tag: 't', roots: true },
];

const LISTINGS: readonly string[] = FILTERS.flatMap((filter) =>
  ([undefined, 'failed', 'completed'] as const).flatMap((status) => {
    const query: RunQuery = { tenant: 'acme', limit: 10, within: 100, ...filter };
    const listings = [{ before: 5 }, { before: 5, lowest: 1 }].map((bounds) =>
      runListing(query, bounds, status),
    );
    const floor = floorOf(query, 5, status);
    return [...listings, ...(floor ? [floor] : [])].map(({ sql }) => sql);
  }),
);

const MEMORY_FILTERS: readonly Partial<MemoryQuery>[] = [
  {},
  { id: 'k' },
  { tag: 't' },
  { text: 'words' },
  { id: 'k', tag: 't', prefix: 'k' },
  { tag: 't', prefix: 'k' },
  { text: 'words', id: 'k', tag: 't', prefix: 'k' },
];

/** All statements that read a layer: its newest and a past version, with and without layers above it. */
function memoryListings(filters = MEMORY_FILTERS): string[] {
  return filters.flatMap((filter) =>
    [true, false].flatMap((newest) =>
      [[], [[2, 3] as const]].flatMap((above) => {
        const query = { tenant: 'acme', view: [], now: 1, limit: 10, ...filter };
        const layer = { scopeNo: 1, shared: false, version: 1, newest, at: 1, above };
        return layerListings(query, layer, 10).map((listing) => listing.sql);
      }),
    ),
  );
}

/** Scans that are allowed: parameters, intermediate results, and indexes that hold only the wanted rows. */
const SMALL =
  /^SCAN (json_each|label|above|below|tree|\(|CONSTANT ROW|runs USING .*INDEX runs_(wake|unfinished|kept))/;

describe('no query reads a whole table of runs, events, replies or memory, or sorts them', () => {
  const tables =
    /\b(FROM|JOIN|UPDATE) (runs|events|interrupts|replies|checkpoints|scopes|entries|entry_tags|entry_words|model_answers|webhook_deliveries)\b/;
  const large = [...plans()].filter(([sql]) => tables.test(sql));

  it('looks at all of them', () => {
    expect(large.length).toBeGreaterThan(60);
  });

  it.each(large)('%s', (_, plan) => {
    // Entries that have ended since a version are found by the version they ended with, and must be sorted.
    const mayBeSorted = plan.includes('entries_ended');
    expect(!mayBeSorted && plan.includes('USE TEMP B-TREE')).toBe(false);
    // FTS5 reports a use of its index as a scan.
    const scans = (plan.match(/SCAN .*/g) ?? []).filter(
      (scan) => !scan.startsWith('SCAN entry_words VIRTUAL TABLE'),
    );
    expect(scans.filter((scan) => !SMALL.test(scan))).toEqual([]);
  });

  // Where an index is partial by a column that it lacks, the rows are read too.
  const floors = LISTINGS.filter((sql) => sql.includes('OFFSET') && !sql.includes('runs_tagged'));
  it.each(floors)('reads only the index: %s', (sql) => {
    const native = new BetterSqlite3(':memory:');
    migrate(asDatabase(native), 'x');
    expect(planOf(native, sql)).toContain('USING COVERING INDEX');
  });

  it.each(memoryListings([{ prefix: 'k' }]))('finds ids by their beginning: %s', (sql) => {
    const native = new BetterSqlite3(':memory:');
    migrate(asDatabase(native), 'x');
    expect(planOf(native, sql)).toMatch(
      /USING INDEX entries_(live_)?by_id \(scope_no=\? AND id>\? AND id<\?\)/,
    );
  });
});
