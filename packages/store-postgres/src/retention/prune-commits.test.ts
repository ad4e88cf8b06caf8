import { afterAll, expect, it } from 'vitest';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import type { Queries } from '../database/database.ts';
import { commitPruner } from './prune-commits.ts';

afterAll(stopServers);

/** Transactions 1 to 5, of which 4 is not signed and 5 is new. */
async function addCommits(queries: Queries): Promise<void> {
  await queries.run(
    `INSERT INTO commits (xid, host_no, n, at, run_nos, firsts, counts, signed)
     SELECT n, 1, n, clock_timestamp() - CASE WHEN n < 5 THEN interval '11 minutes' ELSE interval '0' END,
       '{}', '{}', '{}', n <> 4 FROM generate_series(1, 5) AS n`,
  );
}

async function addWebhook(queries: Queries, position: number): Promise<void> {
  await queries.run(
    `INSERT INTO webhooks (webhook_id, tenant, principal, url, events, workflows, tags, state, keys, fingerprint,
       created_at, updated_at, position)
     VALUES ($1, 'acme', 'ada', 'u', '[]', '[]', '[]', 'active', 'k', 'f', 1, 1, $2)`,
    `hook ${position}`,
    position,
  );
}

const kept = async (queries: Queries) =>
  (await queries.rows<{ xid: number }>('SELECT xid FROM commits ORDER BY xid')).map(({ xid }) => xid);

it('removes the commits that are signed and that every host has heard of', async () => {
  const database = await openExample();
  await addCommits(database);
  expect(await commitPruner(database)()).toBe(3);
  expect(await kept(database)).toEqual([4, 5]);
});

it('keeps what the slowest webhook has not passed', async () => {
  const database = await openExample();
  await addCommits(database);
  await addWebhook(database, 9 * 8192);
  await addWebhook(database, 2 * 8192 + 1);
  expect(await commitPruner(database)()).toBe(1);
  expect(await kept(database)).toEqual([2, 3, 4, 5]);
});
