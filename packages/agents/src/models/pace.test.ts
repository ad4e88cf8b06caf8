import { expect, it } from 'vitest';
import { commonPace } from './pace.ts';

function paced() {
  const timers: { readonly ms: number; readonly ring: () => void }[] = [];
  const pace = commonPace((ms, ring) => {
    timers.push({ ms, ring });
    return () => undefined;
  });
  const read: number[] = [];
  const arrive = (calls: number) => {
    for (let call = 1; call <= calls; call += 1) pace(() => void read.push(call));
  };
  const ring = () => timers.shift()?.ring();
  return { arrive, read, ring, lengths: () => timers.map(({ ms }) => ms) };
}

it('reads what has arrived for several calls together', () => {
  const { arrive, read, ring, lengths } = paced();
  arrive(3);
  expect([read, lengths()]).toEqual([[], [25]]);
  ring();
  expect([read, lengths()]).toEqual([[1, 2, 3], []]);
});

it.each([
  [1, 25],
  [200, 100],
  [10_000, 250],
])('after %i calls, bytes wait for %i ms', (calls, ms) => {
  const { arrive, ring, lengths } = paced();
  arrive(calls);
  ring();
  arrive(1);
  expect(lengths()).toEqual([ms]);
});

it('bytes that arrive while others are read are read the next time', () => {
  const { arrive, read, ring, lengths } = paced();
  arrive(1);
  ring();
  arrive(1);
  expect(read).toEqual([1]);
  expect(lengths()).toHaveLength(1);
  ring();
  expect(read).toEqual([1, 1]);
});
