import { expect, it } from 'vitest';
import { inProof, SEED } from '../proof.ts';
import { type Mode, planOf } from './plan.ts';
import { simulate } from './simulate.ts';

/**
 * Real engines over a real store that does its worst, with people, an outside and time that follow a plan.
 * BATON_FUZZ_SEED says which plans, BATON_SIMULATIONS how many. A failure names a seed, which
 * `npm run simulate -- --seed N` shows step by step.
 */

const COUNT = Number(process.env.BATON_SIMULATIONS ?? (inProof ? 10_000 : 300));
/** Simulations of several hosts take longer. */
const SHARE = { sqlite: 1, postgres: 0.13 } as const;
const IN_A_GROUP = 100;
/** Seeds of different proofs do not overlap. */
export const FIRST_SEED = (SEED % 100_000) * 10_000;

/** One half of the simulations. Each half has a test file, so that both halves can run at the same time. */
export function testSimulations(half: 0 | 1, mode: Mode): void {
  const count = Math.ceil(COUNT * SHARE[mode]);
  const middle = FIRST_SEED + Math.ceil(count / 2);
  const [first, end] = half === 0 ? [FIRST_SEED, middle] : [middle, FIRST_SEED + count];
  for (let from = first; from < end; from += IN_A_GROUP) {
    const to = Math.min(from + IN_A_GROUP, end);
    it(`hosts keep their word in the simulations ${from} to ${to - 1}`, { timeout: 300_000 }, async () => {
      const failures: string[] = [];
      for (let seed = from; seed < to; seed += 1) {
        const { problems } = await simulate(planOf(seed, mode));
        if (problems[0] !== undefined)
          failures.push(`npm run simulate -- --seed ${seed}${OPTIONS[mode]}: ${problems[0]}`);
      }
      expect(failures).toEqual([]);
    });
  }
}

/** With these, `npm run simulate` runs the same mode. */
const OPTIONS = { sqlite: '', postgres: ' --postgres' } as const;
