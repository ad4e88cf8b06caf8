import { expect, it } from 'vitest';
import { FIRST_SEED, testSimulations } from './many-simulations.ts';
import { planOf } from './plan.ts';
import { simulate } from './simulate.ts';

testSimulations(1);

it('a simulation is the same every time', async () => {
  const seeds = Array.from({ length: 8 }, (_, at) => FIRST_SEED + at * 37);
  const first = [];
  for (const seed of seeds) first.push((await simulate(planOf(seed))).digest);
  const second = [];
  for (const seed of seeds.toReversed()) second.unshift((await simulate(planOf(seed))).digest);
  expect(second).toEqual(first);
});
