import { StoreUnavailableError } from '@baton/engine/ports';
import { afterAll, expect, it } from 'vitest';
import { openExample } from '../../testing/example-rows.ts';
import { someoneWaits } from '../../testing/lock-waits.ts';
import { stopServers } from '../../testing/postgres-server.ts';
import { aloneIn } from './alone.ts';

afterAll(stopServers);

it('lets the work of one host begin when that of another has ended, also if it failed', async () => {
  const database = await openExample();
  const done: string[] = [];
  let hasBegun = false;
  let end: () => void = () => undefined;
  const first = aloneIn(database.url, async () => {
    await new Promise<void>((resolve) => {
      end = resolve;
      hasBegun = true;
    });
    done.push('first');
    throw new Error('it failed');
  });
  const failed = expect(first).rejects.toThrow('it failed');
  await expect.poll(() => hasBegun).toBe(true);
  const second = aloneIn(database.url, async () => void done.push('second'));
  await someoneWaits(database);
  expect(done).toEqual([]);
  end();
  await failed;
  await second;
  expect(done).toEqual(['first', 'second']);
});

it('does nothing when the database cannot be reached', async () => {
  let isDone = false;
  const work = aloneIn('postgres://baton:x@127.0.0.1:1/none', async () => {
    isDone = true;
  });
  await expect(work).rejects.toThrow(StoreUnavailableError);
  expect(isDone).toBe(false);
});
