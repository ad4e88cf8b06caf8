import { afterAll, expect, it } from 'vitest';
import { openExample, openTransaction } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import type { Queries } from '../database/database.ts';
import { usageReads } from './counts.ts';

afterAll(stopServers);

const count = async (queries: Queries, bytes: number) =>
  void (await queries.run("SELECT count_bytes('acme', $1)", bytes));

it('lets hosts count for a tenant at the same time without waiting for each other', async () => {
  const database = await openExample();
  const { bytesOf } = usageReads(database);
  const open = [];
  for (const bytes of [1, 10, 100])
    open.push(await openTransaction(database, (queries) => count(queries, bytes)));
  await count(database, 1000);
  expect(await bytesOf('acme')).toBe(1000);
  await open[0]?.commit();
  await open[1]?.rollBack();
  await open[2]?.commit();
  expect(await bytesOf('acme')).toBe(1101);
});

it('uses the same parts again', async () => {
  const database = await openExample();
  for (let times = 0; times < 50; times += 1) await count(database, 1);
  expect(await database.rows('SELECT bytes FROM tenant_usage')).toEqual([{ bytes: 50 }]);
});

it('is never below zero', async () => {
  const database = await openExample();
  await count(database, -5);
  expect(await usageReads(database).bytesOf('acme')).toBe(0);
});
