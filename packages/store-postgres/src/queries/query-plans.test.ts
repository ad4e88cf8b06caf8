import type { RunQuery, StoreReads } from '@baton/engine/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareExample } from '../../testing/example-rows.ts';
import { emptyDatabase, stopServers } from '../../testing/postgres-server.ts';
import { effectClaims } from '../commit/effect-writer.ts';
import { lockedForkBase } from '../commit/fork-base.ts';
import { runNumbers } from '../commit/run-numbers.ts';
import { connectTo } from '../database/connections.ts';
import type { Database, Queries } from '../database/database.ts';
import { postgresReads } from '../reads.ts';
import { selfOf } from '../self.ts';
import { deliveryWriter } from '../webhooks/delivery-writer.ts';
import { runListing } from './list-runs.ts';
import { logOf } from './log.ts';
import { replyLookup, replyPruner } from './replies.ts';
import { newestPlaces, treeLoader } from './stored-runs.ts';
import { troubleStore } from './troubled-trees.ts';
import { wakeQueries } from './wakes.ts';

/** The tables have so many rows that the planner of the server has a reason to use an index. */
const RUNS = 20_000;

const ROWS = `
  INSERT INTO runs (run_no, run_id, root_no, parent_no, tenant, principal, workflow_id, workflow_version, status, tags,
    created_at, updated_at, head, wake_at, unfinished, keeper, places)
  SELECT n, 'run' || n, n - n % 4, CASE WHEN n % 4 > 0 THEN n - n % 4 END, 'tenant' || n % 20, 'ada', 'w' || n % 9, 1,
    (ARRAY['failed', 'running', 'waiting-approval', 'cancelled'])[1 + n % 4], '["red"]', n, n, 1, n, n % 100 = 0, n % 3, 1
  FROM generate_series(1, ${RUNS}) AS n;
  UPDATE runs SET status = 'completed', tags = NULL, wake_at = NULL WHERE run_no % 10 <> 0;
  INSERT INTO events (run_no, seq, place, step_rest, data) SELECT n, 0, 1, 0, '{}' FROM generate_series(1, ${RUNS}) AS n;
  INSERT INTO commits (xid, host_no, n, run_nos, firsts, counts)
    SELECT n, 1, n, ARRAY[n], ARRAY[0], ARRAY[1] FROM generate_series(1, ${RUNS}) AS n;
  INSERT INTO interrupts (tenant, run_no, interrupt_id, node_id, kind, title, requested_at)
    SELECT tenant, run_no, 'i', 'n', 'approval', 't', 1 FROM runs;
  INSERT INTO replies (tenant, principal, key, request, reply, at)
    SELECT tenant, 'ada', run_id, 'r', '{}', run_no FROM runs;
  INSERT INTO webhooks (webhook_id, tenant, principal, url, events, workflows, tags, state, keys, fingerprint, created_at,
      updated_at, position)
    SELECT 'hook' || n, 'tenant' || n, 'ada', 'u', '[]', '[]', '[]', 'active', 'k', 'f', 1, 1, 0
    FROM generate_series(1, 500) AS n;
  INSERT INTO webhook_deliveries (webhook_no, run_no, next_seq, last_seq, tries, next_at, letter)
    SELECT 1 + n % 500, n, 0, 0, 0, n, 0 FROM generate_series(1, ${RUNS}) AS n;
  INSERT INTO task_pushes (tenant, run_id, push_id, url, credentials, version, created_at, tries)
    SELECT tenant, run_id, 'p', 'u', 'c', '1', 1, 0 FROM runs;
  INSERT INTO model_answers (tenant, cache_key, answer, at) SELECT tenant, run_id, '{}', 1 FROM runs;
  INSERT INTO tenant_spending (tenant, day, part, input_tokens, output_tokens, tool_calls)
    SELECT 'tenant' || n % 20, n, 1, 1, 1, 1 FROM generate_series(1, ${RUNS}) AS n;
  INSERT INTO troubled_trees (root_no, losses, held_at, reason)
    SELECT n, 1, n, 'lost' FROM generate_series(1, ${RUNS}, 1000) AS n`;

let database: Database;

beforeAll(async () => {
  const { url } = await emptyDatabase(18, prepareExample);
  database = connectTo({ url, most: 1, name: 'test' });
  for (const sql of ROWS.split(';')) await database.run(sql);
  await database.run('VACUUM ANALYZE');
  // The plan for values that the planner does not know, which is the one that a busy host uses.
  await database.run('SET plan_cache_mode = force_generic_plan');
});

afterAll(async () => {
  await database.close();
  await stopServers();
});

/** A database that only notes what it is asked. */
function noting(asked: Set<string>): Database {
  const noted = <T>(sql: string, answer: T): T => {
    asked.add(sql);
    return answer;
  };
  const queries: Queries = {
    rows: async (sql) => noted(sql, []),
    row: async (sql) => noted(sql, undefined),
    run: async (sql) => noted(sql, 0),
  };
  return {
    ...queries,
    transaction: (work) => work(queries),
    snapshot: (work) => work(queries),
    close: async () => undefined,
  };
}

const READS: readonly ((reads: StoreReads) => Promise<unknown>)[] = [
  (reads) => reads.run('t', 'r'),
  (reads) => reads.runCounts('t', 10),
  (reads) => reads.listedRuns('t', ['r']),
  (reads) => reads.treeView('t', 'r', 1, 1),
  (reads) => reads.runFamily('t', 'r', 1),
  (reads) => reads.stored('t', 'r'),
  (reads) => reads.events('t', 'r', 0, 1),
  (reads) => reads.lengthAt('t', 'r', 1),
  (reads) => reads.interrupts('t', 1),
  (reads) => reads.interrupts('t', 1, undefined, 'r'),
  (reads) => reads.firstInterrupt('t', 'r'),
  (reads) => reads.tenantOf('r'),
  (reads) => reads.modelAnswer('t', 'k'),
  (reads) => reads.spending('t', 1, 2),
  (reads) => reads.dailySpending('t', 1, 2),
  (reads) => reads.taskPushes('t', 'r'),
  (reads) => reads.everyTaskPush(undefined, 1),
  (reads) => reads.heldTrees(1),
  (reads) => reads.heldCount(),
  (reads) => reads.webhook('t', 'w'),
  (reads) => reads.deliveries({ tenant: 't', webhookId: 'w', dead: true }, 1),
  (reads) => reads.committedEvents(1, 1, ['t']),
  (reads) => reads.dueDeliveries('w', 1, 1),
  (reads) => reads.nextDelivery('w'),
  (reads) => reads.backlog('w'),
];

async function statements(): Promise<readonly string[]> {
  const asked = new Set<string>();
  const noted = noting(asked);
  const reads = postgresReads(noted, selfOf(1));
  for (const read of READS) await read(reads);
  const { unfinished, due, nextWake, adoptTrees, takeTree, ringTree } = wakeQueries(noted, selfOf(1));
  await Promise.all([unfinished(), due(1, 1), nextWake(), adoptTrees(1), takeTree('r'), ringTree('r', 1)]);
  const trouble = troubleStore(noted, selfOf(1));
  await Promise.all([trouble.countLoss('r'), trouble.forgetLosses('r'), trouble.holdTrees(['r'], 'lost', 1)]);
  await Promise.all([trouble.releaseTree('r'), trouble.troubledTrees()]);
  await Promise.all([replyLookup(noted)('t', 'p', 'k'), replyPruner(noted)(1)]);
  await Promise.all([treeLoader(noted)('r'), newestPlaces(noted)('r'), logOf(noted).stepBoundary('r', 1)]);
  const effects = { owner: 'o', alive: [], rootId: 'r', from: 1, effects: [] };
  await Promise.all([effectClaims(noted).claimEffects(effects), effectClaims(noted).releaseEffects(effects)]);
  const fork = { sourceRunId: 'r', fromSeq: 1, mode: 'branch', models: 'live', live: [] } as const;
  await Promise.all([lockedForkBase(noted, fork, 't'), runNumbers().find(noted, ['r'])]);
  const deliveries = deliveryWriter(noted, selfOf(1));
  await deliveries.queueDeliveries([], 1);
  const of = { number: 1, webhookId: 'w', at: 1, next: 1, tries: 1, failingSince: 1, error: '' };
  await deliveries.settleDeliveries(
    [
      { ...of, kind: 'delivered', reached: true },
      { ...of, kind: 'failed', nextAt: 1 },
      { ...of, kind: 'dead' },
    ],
    1,
  );
  await deliveries.redeliver({ tenant: 't', webhookId: 'w' }, undefined, 1);
  const sought: RunQuery = { tenant: 't', limit: 10, within: 100, text: 't', roots: true, createdFrom: 1 };
  return [...asked, ...LISTINGS.map(({ sql }) => sql), runListing(sought, 5).sql];
}

const FILTERS: readonly (readonly [string, Partial<RunQuery>])[] = [
  ['runs_by_tenant', {}],
  ['runs_by_tenant', { workflowId: 'w' }],
  ['runs_by_tenant', { statuses: ['completed'] }],
  ['runs_by_status', { statuses: ['failed'] }],
  ['runs_by_status', { statuses: ['failed', 'running'], tag: 't' }],
  ['runs_tagged', { tag: 't' }],
  ['runs_by_parent', { parentRunId: 'r' }],
  ['runs_by_parent', { parentRunId: 'r', statuses: ['failed', 'completed'], tag: 't', text: 't' }],
];

const LISTINGS = FILTERS.flatMap(([index, filter]) =>
  [undefined, 100].map((within) => {
    const query: RunQuery = { tenant: 't', limit: 10, ...filter, ...(within !== undefined && { within }) };
    return { index, within, sql: runListing(query, 5).sql };
  }),
);

/** Prepared in the same way as by the driver, so that the types of the values are those that the server finds. */
async function planOf(sql: string): Promise<readonly PlanNode[]> {
  const count = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
  const values = count === 0 ? '' : `(${new Array(count).fill('NULL').join(', ')})`;
  await database.run(`PREPARE looked AS ${sql}`);
  const plan = await database.row<{ 'QUERY PLAN': readonly [{ Plan: PlanNode }] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE looked${values}`,
  );
  await database.run('DEALLOCATE looked');
  const nodes: PlanNode[] = [];
  const add = (node: PlanNode): void => {
    nodes.push(node);
    node.Plans?.forEach(add);
  };
  if (plan !== undefined) add(plan['QUERY PLAN'][0].Plan);
  return nodes;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const LARGE = new Set([
  ...['runs', 'events', 'commits', 'interrupts', 'replies', 'webhook_deliveries', 'task_pushes'],
  ...['model_answers', 'tenant_spending'],
]);

/** Indexes that hold only the few rows that are wanted, so that they may be read as a whole. */
const SMALL = /^(runs_unfinished|runs_wake|runs_wake_of_keeper)$/;

/** Reads all rows of a large table, or all entries of one of its indexes. */
function readsAll(node: PlanNode): boolean {
  const table = node['Relation Name'];
  const index = node['Index Name'] ?? '';
  if (node['Node Type'] === 'Seq Scan') return LARGE.has(table ?? '');
  return (
    /Index.*Scan/.test(node['Node Type']) &&
    node['Index Cond'] === undefined &&
    !SMALL.test(index) &&
    (table === undefined || LARGE.has(table))
  );
}

const shown = (node: PlanNode) =>
  `${node['Node Type']} ${node['Relation Name'] ?? ''} ${node['Index Name'] ?? ''}`;

describe('no statement reads a whole table of runs, events, commits, replies or deliveries', () => {
  it('looks at all of them', async () => {
    const all = await statements();
    expect(all.length).toBeGreaterThan(60);
    const found: Record<string, readonly string[]> = {};
    for (const sql of all) {
      const reading = (await planOf(sql)).filter(readsAll);
      if (reading.length > 0) found[sql] = reading.map(shown);
    }
    expect(found).toEqual({});
  });

  it.each(LISTINGS)('finds a page of runs in $index, within $within', async ({ index, within, sql }) => {
    const nodes = await planOf(sql);
    const used = nodes.map((node) => node['Index Name']);
    expect(used).toContain(index);
    // A page that had to be sorted would read every run that the index finds, unless it is bounded.
    if (within !== undefined) return;
    const sorted = nodes.filter((node) => node['Node Type'].includes('Sort') && node.Plans?.some(isOfRuns));
    expect(sorted.map(shown)).toEqual([]);
  });
});

function isOfRuns(node: PlanNode): boolean {
  return node['Relation Name'] === 'runs';
}
