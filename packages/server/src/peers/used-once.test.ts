import { expect, it } from 'vitest';
import { usedOnce } from './peer-callers.ts';

function clocked(most = 10) {
  const clock = { now: 0 };
  return { clock, used: usedOnce({ forMs: 100, most, now: () => clock.now }) };
}

it('takes an id once from each owner', () => {
  const { used } = clocked();
  expect([used.use('a', 'x'), used.use('a', 'x'), used.use('b', 'x'), used.use('a', 'y')]).toEqual([
    'first',
    'again',
    'first',
    'first',
  ]);
});

it('remembers an id for the whole time, whenever in a generation it came', () => {
  const { used, clock } = clocked();
  clock.now = 99;
  used.use('a', 'x');
  for (const time of [100, 150, 199]) {
    clock.now = time;
    expect(used.use('a', 'x')).toBe('again');
  }
  clock.now = 400;
  expect(used.use('a', 'x')).toBe('first');
});

it('remembers no more than a number of ids, and takes others again later', () => {
  const { used, clock } = clocked(2);
  expect(['x', 'y', 'z'].map((id) => used.use('a', id))).toEqual(['first', 'first', 'full']);
  expect(used.use('a', 'x')).toBe('again');
  expect(used.use('b', 'z')).toBe('first');
  clock.now = 100;
  expect([used.use('a', 'z'), used.use('a', 'x')]).toEqual(['first', 'again']);
});
