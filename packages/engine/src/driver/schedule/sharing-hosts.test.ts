import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../ports/store.ts';
import { sharingHosts } from './sharing-hosts.ts';

function taking(takeTree: () => Promise<void>) {
  const woken: string[] = [];
  const fatal: unknown[] = [];
  const { take } = sharingHosts({
    store: { takeTree, changes: () => () => undefined },
    wake: (rootId) => void woken.push(rootId),
    effects: { treesOf: () => [] },
    tell: () => undefined,
    onFatal: (problem) => void fatal.push(problem),
  });
  return { take, woken, fatal };
}

it('wakes a tree that it has taken', async () => {
  const { take, woken, fatal } = taking(async () => undefined);
  await take('tree', 'acme');
  expect(woken).toEqual(['tree']);
  expect(fatal).toEqual([]);
});

it('wakes a tree that it may have taken, because the answer of the store was lost', async () => {
  const { take, woken, fatal } = taking(async () => {
    throw new StoreUnavailableError();
  });
  await take('tree', 'acme');
  expect(woken).toEqual(['tree']);
  expect(fatal).toEqual([]);
});

it('tells of a failure that will not pass', async () => {
  const { take, fatal } = taking(async () => {
    throw new Error('the table is gone');
  });
  await take('tree', 'acme');
  expect(fatal).toMatchObject([{ message: 'the table is gone' }]);
});
