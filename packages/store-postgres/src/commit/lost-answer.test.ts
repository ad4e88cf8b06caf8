import { StoreUnavailableError } from '@baton/engine/ports';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { write } from '../../../conformance/src/store-contract/example-memory.ts';
import { advanced, birth, record, slice } from '../../../conformance/src/store-contract/example-slices.ts';
import { cuttingProxy } from '../../testing/cutting-proxy.ts';
import { openExample, openTransaction } from '../../testing/example-rows.ts';
import { nobodyWaits, someoneWaits } from '../../testing/lock-waits.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { selfOf } from '../self.ts';
import { groupCommitter } from './commit-group.ts';

afterAll(stopServers);

/** A committer behind a proxy that can cut its connection, and what is stored. */
async function behindProxy() {
  const database = await openExample();
  const proxy = await cuttingProxy(database.url);
  const committer = groupCommitter(proxy.url, selfOf(1));
  onTestFinished(() => committer.close());
  await committer.commit([birth(record('a'), 2)]);
  // Other hosts are told of a commit behind it. The answer to that is no longer under way when a test plans a cut.
  await proxy.answered();
  const heads = async () => {
    const rows = await database.rows<{ id: string; head: number }>(
      'SELECT run_id AS id, head FROM runs ORDER BY run_no',
    );
    return Object.fromEntries(rows.map(({ id, head }) => [id, head]));
  };
  return { database, proxy, committer, heads };
}

/** A slice that is committed by a single statement, and one that needs a transaction with a COMMIT. */
const next = slice('a', [advanced('a', 2, 1)], { from: 2 });
const inSteps = { ...next, memory: [write('scope:s', 1, 'x')] };

it.each([
  ['a statement', next, 'before the answer to SELECT'],
  ['a transaction', inSteps, 'before the answer to COMMIT'],
] as const)(
  'returns the results of %s that was stored, though its answer was lost',
  async (_, given, cut) => {
    const { proxy, committer, heads } = await behindProxy();
    proxy.cut(cut);
    expect(await committer.commit([given])).toEqual(['committed']);
    expect(await heads()).toEqual({ a: 3 });
    const later = slice('a', [advanced('a', 3, 1)], { from: 3 });
    expect(await committer.commit([later])).toEqual(['committed']);
  },
);

it('rejects a transaction that was not stored, and it can be stored again', async () => {
  const { proxy, committer, heads } = await behindProxy();
  proxy.cut('before COMMIT');
  await expect(committer.commit([inSteps, birth(record('b'), 1)])).rejects.toThrow(StoreUnavailableError);
  expect(await heads()).toEqual({ a: 2 });
  expect(await committer.commit([inSteps, birth(record('b'), 1)])).toEqual(['committed', 'committed']);
});

it('rejects a statement that is still under way, which then stores nothing', async () => {
  const { database, proxy, committer, heads } = await behindProxy();
  const lock = await openTransaction(database, async (queries) => {
    await queries.row("SELECT 1 FROM runs WHERE run_id = 'a' FOR UPDATE");
  });
  const committing = committer.commit([next]);
  await someoneWaits(database);
  proxy.drop();
  await expect(committing).rejects.toThrow(StoreUnavailableError);
  await lock.commit();
  await nobodyWaits(database);
  expect(await heads()).toEqual({ a: 2 });
  expect(await committer.commit([next])).toEqual(['committed']);
});

it('waits for the end of a transaction that is still under way', async () => {
  const { database, proxy, committer, heads } = await behindProxy();
  proxy.cut('and hold COMMIT');
  const committing = committer.commit([inSteps]);
  await someoneWaits(database);
  proxy.release();
  expect(await committing).toEqual(['committed']);
  expect(await heads()).toEqual({ a: 3 });
});

it('does not know before Postgres can be reached again', async () => {
  const { proxy, committer } = await behindProxy();
  proxy.cut('before the answer to SELECT');
  proxy.shut();
  let isKnown = false;
  const committing = committer.commit([next]).finally(() => {
    isKnown = true;
  });
  await proxy.refused(3);
  expect(isKnown).toBe(false);
  proxy.open();
  expect(await committing).toEqual(['committed']);
});

it('does not take the row of an earlier question for the commit', async () => {
  const { proxy, committer, heads } = await behindProxy();
  proxy.cut('before COMMIT', 'before the answer to INSERT');
  await expect(committer.commit([inSteps])).rejects.toThrow(StoreUnavailableError);
  expect(await heads()).toEqual({ a: 2 });
});

it('gives up when the store is closed, without saying that nothing was stored', async () => {
  const { proxy, committer } = await behindProxy();
  proxy.cut('before the answer to SELECT');
  proxy.shut();
  const committing = committer.commit([next]);
  const ended = expect(committing).rejects.toThrow('it is not known');
  await proxy.refused(1);
  await committer.close();
  await ended;
  await expect(committing).rejects.not.toBeInstanceOf(StoreUnavailableError);
});

it('rejects at once when it cannot connect, because nothing was sent', async () => {
  const { proxy, heads } = await behindProxy();
  const committer = groupCommitter(proxy.url, selfOf(2));
  onTestFinished(() => committer.close());
  proxy.shut();
  await expect(committer.commit([next])).rejects.toThrow(StoreUnavailableError);
  expect(await heads()).toEqual({ a: 2 });
  proxy.open();
  expect(await committer.commit([next])).toEqual(['committed']);
});
