import { changeListeners } from '@baton/engine/ports';
import { expect, it } from 'vitest';
import { createRecentEvents } from './recent-events.ts';

const stretch = (first: number, events: readonly string[], tenant = '', runId = 'r') => ({
  runId,
  tenant,
  first,
  events,
});

it('remembers a log from its beginning, for its tenant', () => {
  const recent = createRecentEvents();
  recent.add(stretch(0, ['a', 'b'], 'acme'));
  recent.add(stretch(2, ['c']));
  expect(recent.read('acme', 'r', 0, 10)).toEqual(['a', 'b', 'c']);
  expect(recent.read('acme', 'r', 1, 1)).toEqual(['b']);
  expect(recent.read('other', 'r', 0, 10)).toBeUndefined();
});

it('leaves to the store what it has not seen', () => {
  const recent = createRecentEvents();
  recent.add(stretch(5, ['f']));
  expect(recent.read('acme', 'r', 5, 10)).toBeUndefined();
  recent.add(stretch(0, ['a'], 'acme'));
  recent.add(stretch(2, ['c']));
  expect(recent.read('acme', 'r', 0, 10)).toEqual(['a']);
  expect(recent.read('acme', 'r', 1, 10)).toBeUndefined();
});

it('forgets the oldest runs when it is full, and a run that grows too large', () => {
  const recent = createRecentEvents(100);
  for (const runId of ['one', 'two', 'three']) recent.add(stretch(0, ['x'.repeat(40)], 'acme', runId));
  expect(recent.read('acme', 'one', 0, 1)).toBeUndefined();
  expect(recent.read('acme', 'three', 0, 1)).toHaveLength(1);
  const roomy = createRecentEvents();
  roomy.add(stretch(0, ['x'.repeat(70_000)], 'acme'));
  expect(roomy.read('acme', 'r', 0, 1)).toBeUndefined();
});

it('forgets a log that the store has erased or purged, and everything when changes were missed', () => {
  const feed = changeListeners();
  const recent = createRecentEvents(100);
  recent.follow(feed);
  for (const runId of ['one', 'two']) recent.add(stretch(0, ['x'.repeat(40)], 'acme', runId));
  feed.tell({ kind: 'key', id: 'one' });
  feed.tell({ kind: 'log', runId: 'two.1' });
  expect(recent.read('acme', 'one', 0, 1)).toHaveLength(1);
  feed.tell({ kind: 'log', runId: 'one' });
  expect(recent.read('acme', 'one', 0, 1)).toBeUndefined();
  expect(recent.read('acme', 'two', 0, 1)).toHaveLength(1);
  feed.tell({ kind: 'missed' });
  expect(recent.read('acme', 'two', 0, 1)).toBeUndefined();
  // The room of the forgotten logs is free again.
  for (const runId of ['three', 'four']) recent.add(stretch(0, ['x'.repeat(50)], 'acme', runId));
  expect(recent.read('acme', 'three', 0, 1)).toHaveLength(1);
});

it('does not let a reader change what it remembers', () => {
  const recent = createRecentEvents();
  recent.add(stretch(0, ['a'], 'acme'));
  const first = recent.read('acme', 'r', 0, 10);
  recent.add(stretch(1, ['b']));
  expect(first).toEqual(['a']);
});

const RUN = { tenant: 'acme', runId: 'r' };

it('keeps the newest events of a run while somebody follows it, for its tenant', () => {
  const { add, read, tails } = createRecentEvents();
  add(stretch(100, ['before']));
  const stop = tails.follow(RUN);
  add(stretch(101, ['a', 'b']));
  add(stretch(103, ['c']));
  expect(read('acme', 'r', 101, 10)).toEqual(['a', 'b', 'c']);
  expect(read('acme', 'r', 102, 1)).toEqual(['b']);
  expect(read('acme', 'r', 100, 10)).toBeUndefined();
  expect(read('acme', 'r', 104, 10)).toBeUndefined();
  expect(read('other', 'r', 101, 10)).toBeUndefined();
  stop();
  expect(read('acme', 'r', 101, 10)).toBeUndefined();
});

it('begins again after a gap, which another host may leave', () => {
  const { add, read, tails } = createRecentEvents();
  tails.follow(RUN);
  add(stretch(100, ['a']));
  add(stretch(102, ['c']));
  expect(read('acme', 'r', 100, 10)).toBeUndefined();
  expect(read('acme', 'r', 101, 10)).toBeUndefined();
  expect(read('acme', 'r', 102, 10)).toEqual(['c']);
});

it('keeps only the last stretch when more would be large', () => {
  const { add, read, tails } = createRecentEvents();
  tails.follow(RUN);
  add(stretch(100, ['x'.repeat(40_000)]));
  add(stretch(101, ['y'.repeat(40_000)]));
  expect(read('acme', 'r', 100, 10)).toBeUndefined();
  expect(read('acme', 'r', 101, 10)).toHaveLength(1);
});

it('forgets what was erased of a followed log, and everything when changes were missed', () => {
  const { add, read, follow, tails } = createRecentEvents();
  const feed = changeListeners();
  follow(feed);
  tails.follow(RUN);
  tails.follow({ tenant: 'acme', runId: 'other' });
  add(stretch(100, ['a']));
  add(stretch(7, ['b'], '', 'other'));
  feed.tell({ kind: 'log', runId: 'r' });
  expect(read('acme', 'r', 100, 10)).toBeUndefined();
  expect(read('acme', 'other', 7, 10)).toEqual(['b']);
  feed.tell({ kind: 'missed' });
  expect(read('acme', 'other', 7, 10)).toBeUndefined();
  // The next events are kept again, and what was forgotten is not told.
  add(stretch(101, ['c']));
  expect(read('acme', 'r', 101, 10)).toEqual(['c']);
  expect(read('acme', 'r', 100, 10)).toBeUndefined();
});

it('tells which runs are followed, once for all readers of a run', () => {
  const { follow, tails } = createRecentEvents();
  const feed = changeListeners();
  follow(feed);
  const told: (readonly [string, boolean])[] = [];
  tails.onFollowed((runId, isFollowed) => void told.push([runId, isFollowed]));
  const stops = [tails.follow(RUN), tails.follow(RUN)];
  expect(told).toEqual([['r', true]]);
  stops[0]?.();
  expect(told).toHaveLength(1);
  // The thread that sends the events may be a new one.
  feed.tell({ kind: 'missed' });
  stops[1]?.();
  expect(told).toEqual([
    ['r', true],
    ['r', true],
    ['r', false],
  ]);
});
