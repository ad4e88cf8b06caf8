import { expect, it } from 'vitest';
import { untilNextLook } from './next-look.ts';

const TIMES = { tickMs: 250, removedAfterMs: [500, 5000] };
const self = { hostNo: 1, silentMs: 400 };

it.each([
  ['as usual while the others show themselves', [10, 240], 250],
  ['just after a crash is certain', [10, 400], 105],
  ['just after the lease', [4900], 105],
  ['as usual when a host could have been removed already', [510, 5100], 250],
  ['at the earliest of several moments', [480, 400], 25],
])('is %s', (_, silences, expected) => {
  const others = silences.map((silentMs, at) => ({ hostNo: at + 2, silentMs }));
  expect(untilNextLook([self, ...others], 1, TIMES)).toBe(expected);
});
