import { expect, it } from 'vitest';
import type { LoadedTree } from './loaded-tree.ts';
import { treeCache } from './tree-cache.ts';

const tree = (bytes: number): LoadedTree => ({
  tree: {} as never,
  newestPlace: 0,
  stored: new Map([['r', { status: 'running', tailBytes: bytes, savedStateBytes: 0, chain: '' }]]),
});

function kept(cache: ReturnType<typeof treeCache>, ids: string): string {
  return [...ids].filter((id) => cache.get(id) !== undefined).join('');
}

it('keeps the trees that were used last', () => {
  const cache = treeCache({ trees: 2, bytes: 1000 });
  for (const id of 'abc') cache.keep(id, tree(1));
  expect(kept(cache, 'abc')).toBe('bc');
});

it('lets go of the oldest while they are too large, but not before they are durable', () => {
  const cache = treeCache({ trees: 10, bytes: 100 });
  for (const id of 'abc') cache.keep(id, tree(60));
  expect(kept(cache, 'abc')).toBe('abc');
  cache.shrink();
  expect(kept(cache, 'abc')).toBe('c');
  cache.keep('c', tree(101));
  cache.shrink();
  expect(kept(cache, 'abc')).toBe('');
});

it('counts a tree that has grown once, and one that is gone no more', () => {
  const cache = treeCache({ trees: 10, bytes: 100 });
  for (let n = 0; n < 5; n += 1) cache.keep('a', tree(50));
  cache.keep('b', tree(50));
  cache.shrink();
  expect(kept(cache, 'ab')).toBe('ab');
  cache.evict('a');
  cache.keep('c', tree(50));
  cache.shrink();
  expect(kept(cache, 'abc')).toBe('bc');
});
