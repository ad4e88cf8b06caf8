import { afterAll, expect, it } from 'vitest';
import { addHost, addRun, openExample, openTransaction } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { effectClaims } from './effect-writer.ts';

afterAll(stopServers);

const claimOf = (runNo: number, from = 0) => ({
  owner: '1',
  alive: ['1'],
  rootId: `run ${runNo}`,
  from,
  effects: [{ runId: `run ${runNo}`, key: `key ${runNo}` }],
});

it('answers each of many claims that are made at the same time', async () => {
  const database = await openExample();
  await addHost(database, 1);
  await addHost(database, 2);
  for (let runNo = 1; runNo <= 12; runNo += 1) await addRun(database, runNo);
  await database.run(`
    INSERT INTO effects (run_no, key, owner) VALUES (10, 'key 10', '2'), (11, 'key 11', '3'), (12, 'key 12', '1')`);
  const { claimEffects } = effectClaims(database);
  const claims = Array.from({ length: 12 }, (_, at) => claimEffects(claimOf(at + 1, at + 1 === 9 ? 7 : 0)));
  const answers = await Promise.all(claims);
  for (let runNo = 1; runNo <= 8; runNo += 1)
    expect(answers[runNo - 1]).toEqual([{ key: `key ${runNo}`, hadOwner: false }]);
  // Tree 9 has moved, host 2 is at work, host 3 is lost, and the last effect is the claimant's own.
  expect(answers.slice(8)).toEqual([
    'moved',
    [],
    [{ key: 'key 11', hadOwner: true }],
    [{ key: 'key 12', hadOwner: true }],
  ]);
});

it('compares the tree as it is after a slice that was under way', async () => {
  const database = await openExample();
  await addHost(database, 1);
  await addRun(database, 1);
  const slice = await openTransaction(database, async (queries) => {
    await queries.run('UPDATE runs SET places = 5 WHERE run_no = 1');
  });
  const claim = effectClaims(database).claimEffects(claimOf(1));
  await slice.commit();
  expect(await claim).toBe('moved');
  expect(await database.rows('SELECT * FROM effects')).toEqual([]);
});

it('claims again when a lock was not granted in time', async () => {
  const database = await openExample();
  await addHost(database, 1);
  await addRun(database, 1);
  const slice = await openTransaction(database, async (queries) => {
    await queries.run('UPDATE runs SET updated_at = 2 WHERE run_no = 1');
  });
  const claim = effectClaims(database).claimEffects(claimOf(1));
  // Postgres has given up the first try when a second one waits.
  const waitingSince = async () =>
    (
      await database.row<{ began: string }>(`
        SELECT max(query_start)::text AS began FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`)
    )?.began ?? undefined;
  await expect.poll(waitingSince).toBeDefined();
  const first = await waitingSince();
  const laterTry = async () => ![undefined, first].includes(await waitingSince());
  await expect.poll(laterTry).toBe(true);
  await slice.commit();
  expect(await claim).toEqual([{ key: 'key 1', hadOwner: false }]);
});
