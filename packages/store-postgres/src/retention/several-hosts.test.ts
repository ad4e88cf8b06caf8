import { afterAll, expect, it } from 'vitest';
import { addRun, openExample, openTransaction } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { untilWaiting } from '../../testing/until-waiting.ts';
import type { Queries } from '../database/database.ts';
import { hasTurn } from '../database/locks.ts';
import { selfOf } from '../self.ts';
import { treePurger } from './purge-trees.ts';

afterAll(stopServers);

const end = (queries: Queries) => queries.run("UPDATE runs SET status = 'completed'");

/** What a slice does that creates a fork. */
async function fork(queries: Queries): Promise<void> {
  await queries.run('SELECT 1 FROM runs WHERE run_no = 1 FOR KEY SHARE');
  await addRun(queries, 2);
  await queries.run('UPDATE runs SET base_no = 1, base_seq = 0, source_no = 1 WHERE run_no = 2');
}

it('purges nothing while another host does', async () => {
  const database = await openExample();
  await addRun(database, 1);
  await end(database);
  const purge = treePurger(database, selfOf(1), () => undefined);
  const other = await openTransaction(database, async (queries) => {
    expect(await hasTurn(queries, 'purge')).toBe(true);
  });
  expect(await purge(1000, 10)).toBe(0);
  await other.commit();
  expect(await purge(1000, 10)).toBe(1);
});

it('keeps a tree of which another host makes a fork at this moment', async () => {
  const database = await openExample();
  await addRun(database, 1);
  await end(database);
  const forking = await openTransaction(database, fork);
  const purging = treePurger(database, selfOf(1), () => undefined)(1000, 10);
  await untilWaiting(database);
  await forking.commit();
  expect(await purging).toBe(0);
});

it('tells which logs it has removed, here and to other hosts', async () => {
  const database = await openExample();
  await addRun(database, 1);
  await end(database);
  const purged: string[] = [];
  expect(await treePurger(database, selfOf(7), (runId) => purged.push(runId))(1000, 10)).toBe(1);
  expect(purged).toEqual(['run 1']);
  expect(await database.row('SELECT host_no AS host, changed FROM commits')).toEqual({
    host: 7,
    changed: '[{"kind":"log","runId":"run 1"}]',
  });
});
