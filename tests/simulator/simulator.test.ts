import { expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { simulate } from './simulate.ts';

/**
 * Real engines over a real store that does its worst, with people, an outside and time that follow a plan.
 * BATON_FUZZ_SEED says which plans, BATON_SIMULATIONS how many. A failure names a seed, which
 * `npm run simulate -- --seed N` shows step by step.
 */

const SEED = Number(process.env.BATON_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const COUNT = Number(process.env.BATON_SIMULATIONS ?? 800);
const IN_A_GROUP = 100;
/** Seeds of different days do not overlap. */
const FIRST = (SEED % 100_000) * 10_000;

for (let from = FIRST; from < FIRST + COUNT; from += IN_A_GROUP) {
  const to = Math.min(from + IN_A_GROUP, FIRST + COUNT);
  it(`hosts keep their word in the simulations ${from} to ${to - 1}`, { timeout: 300_000 }, async () => {
    const failures: string[] = [];
    for (let seed = from; seed < to; seed += 1) {
      const { problems } = await simulate(planOf(seed));
      if (problems[0] !== undefined) failures.push(`npm run simulate -- --seed ${seed}: ${problems[0]}`);
    }
    expect(failures).toEqual([]);
  });
}

it('a simulation is the same every time', async () => {
  const seeds = Array.from({ length: 8 }, (_, at) => FIRST + at * 37);
  const first = [];
  for (const seed of seeds) first.push((await simulate(planOf(seed))).digest);
  const second = [];
  for (const seed of seeds.toReversed()) second.unshift((await simulate(planOf(seed))).digest);
  expect(second).toEqual(first);
});
