import type { MemoryChange } from '@baton/engine/ports';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { carry, layers, write } from '../../../conformance/src/store-contract/example-memory.ts';
import { prepareExample } from '../../testing/example-rows.ts';
import { emptyDatabase, stopServers } from '../../testing/postgres-server.ts';
import { connectTo } from '../database/connections.ts';
import type { Database, Queries, Value } from '../database/database.ts';
import { memoryPruner } from '../retention/prune-memory.ts';
import { memoryReads } from './memory-reads.ts';
import { changeMemory } from './memory-writer.ts';

/** One scope with many entries, and many scopes with few. */
const ROWS = [
  `INSERT INTO scopes (tenant, name, shared, version, oldest)
   SELECT 'acme', 'scope:' || n, true, CASE WHEN n = 1 THEN 20000 ELSE 5 END, 0 FROM generate_series(1, 4000) AS n`,
  `INSERT INTO entries (scope_no, version, deleted, revision, created_at, id, content, words)
   SELECT scope_no, n, false, 1, 1, convert_to('k' || n, 'UTF8'), 'plan', array_to_tsvector(ARRAY[scope_no || ':plan', scope_no || ':w' || n])
   FROM scopes, generate_series(1, scopes.version) AS n`,
  "INSERT INTO entry_tags (scope_no, tag, version, entry_no) SELECT scope_no, 'red', version, entry_no FROM entries",
  'UPDATE entries SET ended = version + 1, spent_at = 1 WHERE version % 10 = 1 AND scope_no % 10 = 0',
];

let database: Database;

beforeAll(async () => {
  const { url } = await emptyDatabase(18, prepareExample);
  database = connectTo({ url, most: 1, name: 'test' });
  for (const sql of ROWS) await database.run(sql);
  await database.run('VACUUM ANALYZE');
  // The plan for values that the planner does not know, which is the one that a busy host uses.
  await database.run('SET plan_cache_mode = force_generic_plan');
});

afterAll(async () => {
  await database.close();
  await stopServers();
});

/** The plans of all statements that some work sends. */
async function plansOf(work: (queries: Database) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const explaining = (queries: Queries): Queries => {
    const explain = async (sql: string, values: readonly Value[]) => {
      const lines = await queries.rows<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, ...values);
      plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
    };
    return {
      rows: async (sql, ...values) => explain(sql, values).then(() => queries.rows(sql, ...values)),
      row: async (sql, ...values) => explain(sql, values).then(() => queries.row(sql, ...values)),
      run: async (sql, ...values) => explain(sql, values).then(() => queries.run(sql, ...values)),
    };
  };
  await work({
    ...explaining(database),
    transaction: (inside) => database.transaction((queries) => inside(explaining(queries))),
    snapshot: (inside) => database.snapshot((queries) => inside(explaining(queries))),
    close: async () => undefined,
  });
  return plans.join('\n\n');
}

const READS_ALL = /Seq Scan on (entries|entry_tags|scopes)/;

it.each([
  ['words', { text: 'w7' }, /entries_words[\s\S]*entries_looked_through/],
  ['an id', { id: 'k7' }, /entries_by_id/],
  ['a tag', { tag: 'red' }, /entry_tags_live/],
  ['a prefix', { prefix: 'k7' }, /entries_live_by_id/],
  ['nothing in particular', {}, /entries_live\b/],
])('reads by an index when %s is asked for', async (_, query, index) => {
  const asked = { tenant: 'acme', now: 1, limit: 10, ...query };
  const newest = await plansOf((queries) =>
    memoryReads(queries).memory({ ...asked, view: layers(['scope:2', 5], ['scope:1', 20_000]) }),
  );
  expect(newest).toMatch(index);
  expect(newest).not.toMatch(READS_ALL);
  const past = await plansOf((queries) =>
    memoryReads(queries).memory({ ...asked, view: layers(['scope:2', 3], ['scope:1', 100]) }),
  );
  expect(past).not.toMatch(READS_ALL);
});

it('writes, carries and prunes entries without reading a whole table', async () => {
  const written = await plansOf((queries) =>
    queries.transaction(async (within) => {
      const write_ = (change: MemoryChange) => changeMemory(within, change);
      await write_(write('scope:3', 6, 'k1', { tags: ['red'] }));
      await write_(carry('scope:3', 7, 'scope:4', 5));
      await write_(carry('scope:new', 1, 'scope:3', 6));
    }),
  );
  expect(written).not.toMatch(READS_ALL);
  const pruned = await plansOf((queries) => memoryPruner(queries)(1000, 1));
  expect(pruned).toMatch(/entries_spent/);
  expect(pruned).not.toMatch(READS_ALL);
});
