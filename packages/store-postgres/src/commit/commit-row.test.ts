import { afterAll, expect, it, onTestFinished } from 'vitest';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { laneTo } from '../database/lane.ts';
import { selfOf } from '../self.ts';
import { tellCommit } from './commit-row.ts';

afterAll(stopServers);

it('lets commits behind a notice wait for the disk again', async () => {
  const { url } = await openExample();
  const lane = laneTo(url);
  onTestFinished(() => lane.close());
  const { queries, together } = await lane.connected();
  const commit = { number: 1, stretches: [{ runNo: 1, first: 0, count: 1 }], changes: [] };
  const [, after] = await together(() =>
    Promise.all([
      tellCommit(queries, selfOf(1), commit),
      queries.row<{ synchronous_commit: string }>('SHOW synchronous_commit'),
    ]),
  );
  expect(after).toEqual({ synchronous_commit: 'on' });
});
