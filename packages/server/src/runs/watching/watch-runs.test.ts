import { expect, it } from 'vitest';
import { unsentChanges } from './watch-runs.ts';

it('begins with a reset, and then has the newest state of each run, in the order of the changes', () => {
  const unsent = unsentChanges();
  expect(unsent.take()).toBe('event: reset\ndata: {}\n\n');
  expect(unsent.take()).toBe('');
  unsent.changed('a', '1');
  unsent.changed('b', '2');
  unsent.changed('a', '3');
  expect(unsent.take()).toBe('event: run\ndata: 2\n\nevent: run\ndata: 3\n\n');
  expect(unsent.take()).toBe('');
});

it('has a reset instead of the changes before it, and the changes after it', () => {
  const unsent = unsentChanges();
  unsent.changed('a', '1');
  unsent.missed();
  unsent.changed('b', '2');
  expect(unsent.take()).toBe('event: reset\ndata: {}\n\nevent: run\ndata: 2\n\n');
});

it('keeps a bounded number of changes for a reader that takes none', () => {
  const unsent = unsentChanges();
  unsent.take();
  for (let n = 0; n <= 2000; n += 1) unsent.changed(`r${n}`, String(n));
  unsent.changed('last', 'newest');
  expect(unsent.take()).toBe('event: reset\ndata: {}\n\nevent: run\ndata: newest\n\n');
});
