import { expect, it } from 'vitest';
import { type Mode, planOf } from './plan.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';

/** Started by `npm run simulate`: shows one seed step by step, or tries new seeds for some time. */

const { BATON_SIMULATE_MODE, BATON_SIMULATE_SEED, BATON_SIMULATE_MS = '60000' } = process.env;

const MODE: Mode = BATON_SIMULATE_MODE === 'postgres' ? 'postgres' : 'sqlite';

async function firstProblem(seed: number): Promise<string | undefined> {
  return (await simulate(planOf(seed, MODE))).problems[0];
}

async function show(seed: number): Promise<string | undefined> {
  const plan = planOf(seed, MODE);
  const whole = await simulate(plan);
  const [problem] = whole.problems;
  const shrunk =
    problem === undefined
      ? plan
      : await shrink(plan, async (smaller) => (await simulate(smaller)).problems.length > 0);
  const { trace } = await simulate(shrunk);
  console.log(`seed ${seed}: ${plan.hosts} hosts, ${shrunk.steps.length} of ${plan.steps.length} steps`);
  for (const { act, after } of shrunk.steps) console.log(`  after ${after} turns: ${act}`);
  console.log(trace.join('\n'));
  return problem;
}

async function tryFor(ms: number): Promise<string | undefined> {
  const end = Date.now() + ms;
  const first = Math.floor(Math.random() * 2 ** 31);
  let seed = first;
  let failure: string | undefined;
  for (; Date.now() < end && failure === undefined; seed += 1) {
    const problem = await firstProblem(seed);
    if (problem !== undefined)
      failure = `npm run simulate -- --seed ${seed}${MODE === 'postgres' ? ' --postgres' : ''}: ${problem}`;
  }
  console.log(`${seed - first} simulations from seed ${first}: ${failure ?? 'no problem'}`);
  return failure;
}

it('keeps its word', { timeout: 2 ** 31 - 1 }, async () => {
  const failure =
    BATON_SIMULATE_SEED === undefined
      ? await tryFor(Number(BATON_SIMULATE_MS))
      : await show(Number(BATON_SIMULATE_SEED));
  expect(failure).toBeUndefined();
});
