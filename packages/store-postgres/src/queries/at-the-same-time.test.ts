import { afterAll, expect, it, onTestFinished } from 'vitest';
import { addHost, addRun, openExample, openTransaction } from '../../testing/example-rows.ts';
import { someoneWaits } from '../../testing/lock-waits.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { connectTo } from '../database/connections.ts';
import type { Database } from '../database/database.ts';
import { selfOf } from '../self.ts';
import { webhookWriter } from '../webhooks/webhook-writer.ts';
import { effectOffers } from './offered-effects.ts';
import { secretWriter } from './secrets.ts';
import { taskPushWriter } from './task-pushes.ts';
import { wakeQueries } from './wakes.ts';
import { workflowReads, workflowWriter } from './workflows.ts';

afterAll(stopServers);

/** What several hosts do at the same time has the result of one after the other. */

const TIMES = 12;

const times = <T>(work: (at: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: TIMES }, (_, at) => work(at)));

it('gives each version of a workflow its own number', async () => {
  const database = await openExample();
  const registered = await times((at) =>
    workflowWriter(database, selfOf(at)).putWorkflow({
      ...{ tenant: 'acme', id: 'w', digest: `d${at}`, definition: '{}', createdAt: 1 },
    }),
  );
  const versions = registered.map(({ version }) => version).sort((one, other) => one - other);
  expect(versions).toEqual(Array.from({ length: TIMES }, (_, at) => at + 1));
  expect((await workflowReads(database).workflow('acme', 'w'))?.version).toBe(TIMES);
});

it('registers a definition once', async () => {
  const database = await openExample();
  const workflow = { tenant: 'acme', id: 'w', digest: 'd', definition: '{}', createdAt: 1 };
  const registered = await times((at) => workflowWriter(database, selfOf(at)).putWorkflow(workflow));
  expect(registered.filter(({ created }) => created)).toHaveLength(1);
  expect(new Set(registered.map(({ version }) => version))).toEqual(new Set([1]));
});

it('stores no more secrets, webhooks and pushes than are allowed', async () => {
  const database = await openExample();
  const secrets = await times((at) =>
    secretWriter(database, selfOf(at)).putSecret(
      { tenant: 'acme', name: `s${at}`, jwe: 'e', updatedAt: 1 },
      3,
    ),
  );
  const webhooks = await times((at) =>
    webhookWriter(database, selfOf(at)).putWebhook(
      {
        ...{ tenant: 'acme', webhookId: `w${at}`, principal: 'ada', url: 'u', keys: 'k', fingerprint: 'f' },
        ...{ events: [], workflows: [], tags: [], createdAt: 1 },
      },
      3,
    ),
  );
  const pushes = await times((at) =>
    taskPushWriter(database).putTaskPush(
      {
        ...{ tenant: 'acme', runId: 'r', pushId: `p${at}`, url: 'u', credentials: 'c', version: '1' },
        ...{ createdAt: 1, tries: 0 },
      },
      3,
    ),
  );
  for (const stored of [secrets, webhooks, pushes]) expect(stored.filter(Boolean)).toHaveLength(3);
});

/** Begins a statement, which sees the database as it is now, and lets it look at the trees after the meanwhile. */
async function overtaken<T>(
  database: Database & { readonly url: string },
  statement: (connection: Database) => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const connection = connectTo({ url: database.url, most: 1, name: 'test' });
  onTestFinished(() => connection.close());
  await connection.run(
    `CREATE TEMPORARY VIEW runs AS
     SELECT * FROM public.runs WHERE (SELECT pg_advisory_xact_lock_shared(1))::text IS NOT NULL`,
  );
  const gate = await openTransaction(database, async (queries) => {
    await queries.run('SELECT pg_advisory_xact_lock(1)');
  });
  const result = statement(connection);
  await someoneWaits(database);
  await meanwhile();
  await gate.commit();
  return result;
}

it('leaves a tree alone that another host has adopted since the statement began', async () => {
  const database = await openExample();
  for (const hostNo of [1, 2]) await addHost(database, hostNo);
  for (const no of [11, 12]) await addRun(database, no, { keeper: 9, unfinished: true });
  const adopt = (at: Database, hostNo: number, most: number) =>
    wakeQueries(at, selfOf(hostNo)).adoptTrees(most);
  const trees = await overtaken(
    database,
    (connection) => adopt(connection, 2, 10),
    () => adopt(database, 1, 1),
  );
  expect(trees).toHaveLength(1);
  const kept = await database.rows<{ keeper: number }>('SELECT keeper FROM runs ORDER BY keeper');
  expect(kept.map(({ keeper }) => keeper)).toEqual([1, 2]);
});

it('does not offer an effect again that a host has claimed since the statement began', async () => {
  const database = await openExample();
  await addHost(database, 1);
  await addRun(database, 11);
  await database.run(
    `INSERT INTO effects (run_no, key, owner, kind, offered_at) VALUES (11, 'a', '', 'call', 1), (11, 'b', '', 'call', 1)`,
  );
  const left = await overtaken(
    database,
    (connection) =>
      effectOffers(connection).leftOffers({ kinds: ['call'], alive: [], before: 5, now: 9, limit: 5 }),
    () => database.run(`UPDATE effects SET owner = '1' WHERE key = 'a'`),
  );
  expect(left.map(({ key }) => key)).toEqual(['b']);
});
