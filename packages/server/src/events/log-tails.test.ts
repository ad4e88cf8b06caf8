import { expect, it } from 'vitest';
import { logTails } from './log-tails.ts';

const RUN = { tenant: 'acme', runId: 'r' };
const stretch = (first: number, events: readonly string[]) => ({ runId: 'r', tenant: '', first, events });

it('keeps the newest events of a run while somebody follows it, for its tenant', () => {
  const tails = logTails();
  tails.add(stretch(100, ['before']));
  const stop = tails.follow(RUN);
  tails.add(stretch(101, ['a', 'b']));
  tails.add(stretch(103, ['c']));
  expect(tails.read('acme', 'r', 101, 10)).toEqual(['a', 'b', 'c']);
  expect(tails.read('acme', 'r', 102, 1)).toEqual(['b']);
  expect(tails.read('acme', 'r', 100, 10)).toBeUndefined();
  expect(tails.read('acme', 'r', 104, 10)).toBeUndefined();
  expect(tails.read('other', 'r', 101, 10)).toBeUndefined();
  stop();
  expect(tails.read('acme', 'r', 101, 10)).toBeUndefined();
});

it('begins again after a gap, which another host may leave', () => {
  const tails = logTails();
  tails.follow(RUN);
  tails.add(stretch(100, ['a']));
  tails.add(stretch(102, ['c']));
  expect(tails.read('acme', 'r', 100, 10)).toBeUndefined();
  expect(tails.read('acme', 'r', 101, 10)).toBeUndefined();
  expect(tails.read('acme', 'r', 102, 10)).toEqual(['c']);
});

it('keeps only the last stretch when more would be large', () => {
  const tails = logTails();
  tails.follow(RUN);
  tails.add(stretch(100, ['x'.repeat(40_000)]));
  tails.add(stretch(101, ['y'.repeat(40_000)]));
  expect(tails.read('acme', 'r', 100, 10)).toBeUndefined();
  expect(tails.read('acme', 'r', 101, 10)).toHaveLength(1);
});

it('forgets what was erased, and everything when changes were missed', () => {
  const tails = logTails();
  tails.follow(RUN);
  tails.follow({ tenant: 'acme', runId: 'other' });
  tails.add(stretch(100, ['a']));
  tails.add({ ...stretch(7, ['b']), runId: 'other' });
  tails.forget('r');
  expect(tails.read('acme', 'r', 100, 10)).toBeUndefined();
  expect(tails.read('acme', 'other', 7, 10)).toEqual(['b']);
  tails.missed();
  expect(tails.read('acme', 'other', 7, 10)).toBeUndefined();
  // The next events are kept again, and what was forgotten is not told.
  tails.add(stretch(101, ['c']));
  expect(tails.read('acme', 'r', 101, 10)).toEqual(['c']);
  expect(tails.read('acme', 'r', 100, 10)).toBeUndefined();
});

it('tells which runs are followed, once for all readers of a run', () => {
  const tails = logTails();
  const told: (readonly [string, boolean])[] = [];
  tails.onFollowed((runId, isFollowed) => void told.push([runId, isFollowed]));
  const stops = [tails.follow(RUN), tails.follow(RUN)];
  expect(told).toEqual([['r', true]]);
  stops[0]?.();
  expect(told).toHaveLength(1);
  // The thread that sends the events may be a new one.
  tails.missed();
  stops[1]?.();
  expect(told).toEqual([
    ['r', true],
    ['r', true],
    ['r', false],
  ]);
});
