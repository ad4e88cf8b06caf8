import { expect, it } from 'vitest';
import type { LateEvent } from './move-source.ts';
import { movedCommits, movedPositions } from './moved-commits.ts';

const event = (position: number, runNo: number, sequence: number): LateEvent => ({
  position,
  runNo,
  sequence,
});

/** Two runs whose events alternate. Position 14 is not in use any more. */
const LATE = [event(11, 1, 5), event(12, 1, 6), event(13, 2, 0), event(15, 1, 7), event(16, 1, 8)];

it('keeps the order of the events, and tells apart what is signed', () => {
  expect([...movedCommits(LATE, 12)]).toEqual([
    { xid: 1, signed: true, stretches: [{ runNo: 1, first: 5, count: 2 }] },
    {
      xid: 2,
      signed: false,
      stretches: [
        { runNo: 2, first: 0, count: 1 },
        { runNo: 1, first: 7, count: 2 },
      ],
    },
  ]);
});

it('begins a new commit before one has too many events for its positions', () => {
  const many = Array.from({ length: 9000 }, (_, at) => event(at + 1, 1, at));
  const commits = [...movedCommits(many, 0)];
  expect(commits.map(({ xid }) => xid)).toEqual([1, 2, 3]);
  expect(commits.flatMap(({ stretches }) => stretches)).toEqual([
    { runNo: 1, first: 0, count: 4096 },
    { runNo: 1, first: 4096, count: 4096 },
    { runNo: 1, first: 8192, count: 808 },
  ]);
  expect(movedPositions(many, 0, [4096, 4097, 9000])).toEqual(
    new Map([
      [4096, 8192 + 4095],
      [4097, 2 * 8192],
      [9000, 3 * 8192 + 807],
    ]),
  );
});

it('leaves a webhook after the last event that it has looked at', () => {
  const moved = movedPositions(LATE, 12, [99, 10, 11, 12, 14, 15, 16, 14]);
  expect(Object.fromEntries(moved)).toEqual({
    10: 8191,
    11: 8192,
    12: 8193,
    14: 2 * 8192,
    15: 2 * 8192 + 1,
    16: 2 * 8192 + 2,
    99: 2 * 8192 + 2,
  });
});

it('has no commits where everything was looked at', () => {
  expect([...movedCommits([], 7)]).toEqual([]);
  expect(movedPositions([], 7, [7])).toEqual(new Map([[7, 8191]]));
});
