import { afterAll, expect, it } from 'vitest';
import { addEvents, addRun, openExample, openTransaction } from '../../testing/example-rows.ts';
import { newDatabase, stopServers } from '../../testing/postgres-server.ts';
import { connectTo } from '../database/connections.ts';
import type { Database } from '../database/database.ts';
import { selfOf } from '../self.ts';
import { committedEventReader } from './committed-events.ts';
import { webhookReads } from './webhook-reads.ts';
import { webhookWriter } from './webhook-writer.ts';

afterAll(stopServers);

const HOOK = {
  ...{ tenant: 'acme', webhookId: 'hook', principal: 'ada', url: 'https://example.com/', keys: 'jwe' },
  ...{ events: ['*'], workflows: [], tags: [], fingerprint: 'f', createdAt: 1 },
};

async function withRuns(...runNos: readonly number[]) {
  const database = await openExample();
  for (const runNo of runNos) await addRun(database, runNo);
  const committed = committedEventReader(database);
  const found = async (after: number, limit = 100) => {
    const { upTo = after, events } = await committed(after, limit, ['acme']);
    return { upTo, told: events.map(({ runId, sequence }) => `${runId}:${sequence}`) };
  };
  const stored = (runNo: number, first: number, count: number) =>
    database.transaction((queries) => addEvents(queries, runNo, first, count));
  return { database, found, stored };
}

/** Whether the promise stays open while the database answers others. */
async function isPending(database: Database, promise: Promise<unknown>): Promise<boolean> {
  const others = async () => {
    for (let asked = 0; asked < 20; asked += 1) await database.row('SELECT 1');
    return 'others';
  };
  return (await Promise.race([promise, others()])) === 'others';
}

it('waits for an older transaction, so that no event appears behind one that was read', async () => {
  const { database, found, stored } = await withRuns(1, 2);
  const older = await openTransaction(database, (queries) => addEvents(queries, 1, 0, 2));
  await stored(2, 0, 1);
  const reading = found(0);
  expect(await isPending(database, reading)).toBe(true);
  await older.commit();
  expect((await reading).told).toEqual(['run 1:0', 'run 1:1', 'run 2:0']);
});

it('goes on when the older transaction was undone', async () => {
  const { database, found, stored } = await withRuns(1, 2);
  const older = await openTransaction(database, (queries) => addEvents(queries, 1, 0, 2));
  await stored(2, 0, 1);
  const reading = found(0);
  await older.rollBack();
  expect((await reading).told).toEqual(['run 2:0']);
});

it('gives what is certain without waiting', async () => {
  const { database, found, stored } = await withRuns(1, 2);
  await stored(1, 0, 1);
  const older = await openTransaction(database, (queries) => addEvents(queries, 2, 0, 1));
  await stored(1, 1, 1);
  expect((await found(0)).told).toEqual(['run 1:0']);
  await older.commit();
});

it('does not wait for transactions of other databases of the server', async () => {
  const { found, stored } = await withRuns(1);
  const other = connectTo({ url: await newDatabase(), most: 1, name: 'test' });
  const older = await openTransaction(other, async (queries) => {
    await queries.run('CREATE TABLE elsewhere (number bigint)');
  });
  await stored(1, 0, 1);
  expect((await found(0)).told).toEqual(['run 1:0']);
  await older.commit();
  await other.close();
});

it('reads any number of events at once, and goes on within a transaction', async () => {
  const { found, stored } = await withRuns(1, 2);
  await stored(1, 0, 5);
  await stored(2, 0, 1);
  const pages: (readonly string[])[] = [];
  for (let after = 0; ; ) {
    const { upTo, told } = await found(after, 2);
    if (upTo === after) break;
    pages.push(told);
    after = upTo;
  }
  expect(pages).toEqual([
    ['run 1:0', 'run 1:1'],
    ['run 1:2', 'run 1:3'],
    ['run 1:4', 'run 2:0'],
  ]);
});

it('keeps the positions of events when others of their transaction are removed', async () => {
  const { database, found } = await withRuns(1, 2);
  await database.transaction(async (queries) => {
    await addEvents(queries, 1, 0, 3);
    await addEvents({ ...queries, run: withoutCommit(queries) }, 2, 0, 3);
    await queries.run('UPDATE commits SET run_nos = $1, firsts = $2, counts = $3', [1, 2], [0, 0], [3, 3]);
  });
  const first = await found(0, 4);
  expect(first.told).toEqual(['run 1:0', 'run 1:1', 'run 1:2', 'run 2:0']);
  await database.run('DELETE FROM events WHERE run_no = 1');
  expect((await found(first.upTo)).told).toEqual(['run 2:1', 'run 2:2']);
  expect((await found(0)).told).toEqual(['run 2:0', 'run 2:1', 'run 2:2']);
});

function withoutCommit({ run }: Pick<Database, 'run'>): Database['run'] {
  return async (sql, ...values) => (sql.includes('INTO commits') ? 0 : run(sql, ...values));
}

it('tells a new webhook of transactions that are under way, and not of earlier ones', async () => {
  const { database, found, stored } = await withRuns(1, 2, 3);
  await stored(1, 0, 3);
  const underWay = await openTransaction(database, (queries) => addEvents(queries, 2, 0, 1));
  await webhookWriter(database, selfOf(1)).putWebhook(HOOK, 10);
  const { position = -1 } = (await webhookReads(database, selfOf(1)).webhook('acme', 'hook')) ?? {};
  await stored(3, 0, 1);
  await underWay.commit();
  expect((await found(position)).told).toEqual(['run 2:0', 'run 3:0']);
});
