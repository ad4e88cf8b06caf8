import type { RunQuery } from '@baton/engine/ports';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { asDatabase } from '../database/native.ts';
import { sqliteReads } from '../reads.ts';
import { sqliteStore } from '../store.ts';
import { cursorAfter } from './cursor.ts';
import { runListing } from './list-runs.ts';

/** The plan of every statement that the store and its reads prepare, by its text. */
function plans(): ReadonlyMap<string, string> {
  const native = new BetterSqlite3(':memory:');
  const prepared: string[] = [];
  const database = asDatabase(native);
  const recording = {
    ...database,
    prepare: <Row>(sql: string) => {
      prepared.push(sql);
      // A database in memory has no write-ahead log to turn on.
      if (sql.includes('journal_mode')) return database.prepare<Row>("SELECT 'wal' AS journal_mode");
      return database.prepare<Row>(sql);
    },
  };
  sqliteStore(recording, 'x');
  sqliteReads(recording, 'x');
  for (const query of LISTINGS) prepared.push(runListing(query).sql);
  return new Map(
    prepared.filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/.test(sql)).map((sql) => [sql, planOf(native, sql)]),
  );
}

function planOf(native: BetterSqlite3.Database, sql: string): string {
  const values = new Array((sql.match(/\?/g) ?? []).length).fill(1);
  const steps = native.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
  return steps.map((step) => step.detail).join('\n');
}

const FILTERS: readonly Partial<RunQuery>[] = [
  {},
  { status: 'failed' },
  { status: 'completed' },
  { workflowId: 'w' },
  { tag: 't' },
  { parentRunId: 'p' },
  { status: 'failed', workflowId: 'w', tag: 't' },
  { parentRunId: 'p', status: 'failed', tag: 't' },
];

const LISTINGS: readonly RunQuery[] = FILTERS.flatMap((filter) => [
  { tenant: 'acme', limit: 10, ...filter },
  { tenant: 'acme', limit: 10, ...filter, cursor: cursorAfter(5) },
]);

describe('no query reads a whole table of runs, events or replies, or sorts them', () => {
  const large = [...plans()].filter(([sql]) =>
    /\b(runs|events|interrupts|replies|checkpoints|model_answers)\b/.test(sql),
  );

  it('looks at all of them', () => {
    expect(large.length).toBeGreaterThan(25);
  });

  it.each(large)('%s', (_, plan) => {
    expect(plan).not.toMatch(/USE TEMP B-TREE/);
    const scans = plan.match(/SCAN (?!json_each).*/g) ?? [];
    // Partial indexes may be read whole: they hold only the rows that are asked for.
    for (const scan of scans) expect(scan).toMatch(/INDEX runs_(wake|unfinished)/);
  });
});
