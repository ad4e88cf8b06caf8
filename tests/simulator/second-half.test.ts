import { describe, expect, it } from 'vitest';
import { FIRST_SEED, testSimulations } from './many-simulations.ts';
import { planOf } from './plan.ts';
import { SEEDS_THAT_FOUND_DEFECTS } from './seeds.ts';
import { simulate } from './simulate.ts';

describe('on a SQLite store', () => testSimulations(1, 'sqlite'));
describe('several hosts on a simulated Postgres', () => testSimulations(1, 'postgres'));

it.each(SEEDS_THAT_FOUND_DEFECTS)('$mode, seed $seed: $found', async ({ seed, mode }) => {
  expect((await simulate(planOf(seed, mode))).problems).toEqual([]);
});

it.each(['sqlite', 'postgres'] as const)('a simulation is the same every time (%s)', async (mode) => {
  const seeds = Array.from({ length: 8 }, (_, at) => FIRST_SEED + at * 37);
  const first = [];
  for (const seed of seeds) first.push((await simulate(planOf(seed, mode))).digest);
  const second = [];
  for (const seed of seeds.toReversed()) second.unshift((await simulate(planOf(seed, mode))).digest);
  expect(second).toEqual(first);
});
