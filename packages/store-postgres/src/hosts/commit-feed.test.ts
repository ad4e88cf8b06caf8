import type { StoreChange } from '@baton/engine/ports';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { birth, record } from '../../../conformance/src/store-contract/example-slices.ts';
import { changeListeners } from '../../../engine/src/ports/sharing/change-listeners.ts';
import { openExample } from '../../testing/example-rows.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { groupCommitter } from '../commit/commit-group.ts';
import { selfOf } from '../self.ts';
import { commitFeed } from './commit-feed.ts';

afterAll(stopServers);

/** Host 1 hears what host 2 commits. */
async function hearing() {
  const database = await openExample();
  const feed = changeListeners();
  const heard: StoreChange[] = [];
  feed.changes((change) => void heard.push(change));
  const listening = await commitFeed(database.url, selfOf(1), feed);
  const other = groupCommitter(database.url, selfOf(2));
  onTestFinished(async () => {
    await other.close();
    await listening.close();
  });
  return { database, heard, other };
}

const END_FEED = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'baton feed' AND datname = current_database()`;
const FEEDS = `
  SELECT pid FROM pg_stat_activity WHERE application_name = 'baton feed' AND datname = current_database()`;

it('tells which runs another host has moved, and nothing of its own commits', async () => {
  const { database, heard, other } = await hearing();
  const self = groupCommitter(database.url, selfOf(1));
  await self.commit([birth(record('own'), 1)]);
  await self.close();
  await other.commit([birth(record('a'), 2), birth(record('b'), 1)]);
  await expect.poll(() => heard).toHaveLength(1);
  const status = expect.any(String);
  expect(heard).toEqual([
    {
      kind: 'moved',
      runs: [
        { runId: 'a', lastSequence: 1, status },
        { runId: 'b', lastSequence: 0, status },
      ],
    },
  ]);
});

it('tells that changes may have been missed when its connection is back', async () => {
  const { database, heard, other } = await hearing();
  const before = await database.row<{ pid: number }>(FEEDS);
  await database.row(END_FEED);
  await other.commit([birth(record('a'), 1)]);
  await expect.poll(() => heard).toContainEqual({ kind: 'missed' });
  expect(await database.row(FEEDS)).not.toEqual(before);
  // From then on it hears again.
  await other.commit([birth(record('b'), 1)]);
  await expect
    .poll(() => heard.flatMap((change) => (change.kind === 'moved' ? change.runs : [])))
    .toContainEqual(expect.objectContaining({ runId: 'b' }));
});

it('tells that changes may have been missed when it cannot read what it has heard', async () => {
  const { database, heard } = await hearing();
  await database.run('ALTER TABLE commits RENAME TO hidden');
  onTestFinished(async () => void (await database.run('ALTER TABLE hidden RENAME TO commits')));
  await database.row("SELECT pg_notify('baton', '2 1')");
  await expect.poll(() => heard).toEqual([{ kind: 'missed' }]);
});
