import { afterAll, expect, it } from 'vitest';
import { addHost, addRun, openExample, openTransaction, removeHost } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { selfOf } from '../self.ts';
import { wakeQueries } from './wakes.ts';

afterAll(stopServers);

/** Two hosts at work. Each of them works on the trees that it keeps. */
async function twoHosts() {
  const database = await openExample();
  for (const hostNo of [1, 2]) await addHost(database, hostNo);
  const [one, two] = [wakeQueries(database, selfOf(1)), wakeQueries(database, selfOf(2))];
  const keeperOf = async (runNo: number) =>
    (await database.row<{ keeper: number }>('SELECT keeper FROM runs WHERE run_no = $1', runNo))?.keeper;
  return { database, one, two, keeperOf };
}

type Wakes = ReturnType<typeof wakeQueries>;

const idsOf = (trees: readonly { readonly rootId: string }[]) => trees.map(({ rootId }) => rootId);
const dueOf = async (host: Wakes, now: number, limit = 10) => idsOf((await host.due(now, limit)).items);

it('leaves the trees of a host that is at work to it', async () => {
  const { database, one, two } = await twoHosts();
  await addRun(database, 11, { keeper: 2, wakeAt: 1000, unfinished: true });
  await addRun(database, 12, { keeper: 1, wakeAt: 1500 });
  expect(idsOf(await one.unfinished())).toEqual([]);
  expect(await dueOf(one, 1500)).toEqual(['run 12']);
  expect(await one.nextWake()).toBe(1500);
  expect(idsOf(await two.unfinished())).toEqual(['run 11']);
  expect(await dueOf(two, 1500)).toEqual(['run 11']);
  expect(await two.nextWake()).toBe(1000);
  expect(await one.adoptTrees(10)).toEqual([]);
});

it('takes a tree whose keeper is more than a second late, and keeps it then', async () => {
  const { database, one, two, keeperOf } = await twoHosts();
  await addRun(database, 11, { keeper: 2, wakeAt: 1000 });
  expect(await dueOf(one, 2000)).toEqual([]);
  expect(await dueOf(one, 2001)).toEqual(['run 11']);
  expect(await keeperOf(11)).toBe(1);
  expect(await dueOf(two, 2001)).toEqual([]);
  expect(await dueOf(one, 2001)).toEqual(['run 11']);
  expect(await dueOf(two, 3002)).toEqual(['run 11']);
});

it('gives a tree that nobody keeps to one host', async () => {
  const { database, one, two, keeperOf } = await twoHosts();
  await addRun(database, 11, { wakeAt: 1000, unfinished: true });
  await addRun(database, 12, { keeper: 9, wakeAt: 1001, unfinished: true });
  await addRun(database, 13, { keeper: 9, wakeAt: 1002 });
  expect(idsOf(await two.unfinished())).toEqual(['run 11', 'run 12']);
  const found = await Promise.all([dueOf(one, 1002), dueOf(two, 1002)]);
  expect(found.flat().sort()).toEqual(['run 11', 'run 12', 'run 13']);
  for (const runNo of [11, 12, 13]) expect([1, 2]).toContain(await keeperOf(runNo));
});

it('hands out pages of own trees and of those that are taken, each once', async () => {
  const { database, one } = await twoHosts();
  for (let no = 1; no <= 7; no += 1) await addRun(database, no, { keeper: (no % 2) + 1, wakeAt: 1000 + no });
  const found: string[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Awaited<ReturnType<Wakes['due']>> = await one.due(5000, 2, cursor || undefined);
    found.push(...idsOf(page.items));
    cursor = page.next;
  }
  expect(found.sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((no) => `run ${no}`));
});

it('leaves a tree that a slice is changing at this moment alone', async () => {
  const { database, one, keeperOf } = await twoHosts();
  await addRun(database, 11, { keeper: 9, wakeAt: 1000, unfinished: true });
  const slice = await openTransaction(database, async (queries) => {
    await queries.run('UPDATE runs SET head = head + 1, keeper = 2 WHERE run_no = 11');
  });
  expect(await dueOf(one, 9000)).toEqual([]);
  expect(await one.adoptTrees(10)).toEqual([]);
  await slice.commit();
  expect(await keeperOf(11)).toBe(2);
});

it('goes on with the trees of a host that is gone, in pages, each on one host', async () => {
  const { database, one, two, keeperOf } = await twoHosts();
  for (let no = 1; no <= 5; no += 1) await addRun(database, no, { keeper: 2, unfinished: true });
  for (let no = 6; no <= 9; no += 1) await addRun(database, no, { keeper: 2, wakeAt: no });
  await removeHost(database, 2);
  await addHost(database, 3);
  const three = wakeQueries(database, selfOf(3));
  const adopted: string[] = [];
  for (;;) {
    const trees = (await Promise.all([one.adoptTrees(2), three.adoptTrees(2)])).flat();
    if (trees.length === 0) break;
    adopted.push(...idsOf(trees));
  }
  expect(adopted.sort()).toEqual([1, 2, 3, 4, 5].map((no) => `run ${no}`));
  for (let no = 1; no <= 9; no += 1) expect([1, 3]).toContain(await keeperOf(no));
  expect(await two.nextWake()).toBeUndefined();
});

it('makes a host the keeper of a tree that it rings, unless the tree is not due or needs a newer host', async () => {
  const { database, one, keeperOf } = await twoHosts();
  await addRun(database, 11, { keeper: 2, wakeAt: 1000 });
  expect(await one.ringTree('run 11', 999)).toBeUndefined();
  expect(await keeperOf(11)).toBe(2);
  expect(await one.ringTree('run 11', 1000)).toMatchObject({ rootId: 'run 11' });
  expect(await keeperOf(11)).toBe(1);
});

it('makes a host the keeper of a tree that it takes', async () => {
  const { database, one, keeperOf } = await twoHosts();
  await addRun(database, 11, { keeper: 2, wakeAt: 1000 });
  await one.takeTree('run 11');
  expect(await keeperOf(11)).toBe(1);
  expect(await one.nextWake()).toBe(1000);
  await one.takeTree('unknown');
});
