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
