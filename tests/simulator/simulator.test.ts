import { expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { simulate } from './simulate.ts';

it('x', { timeout: 600_000 }, async () => {
  const from = Number(process.env.FROM ?? 0);
  const n = Number(process.env.N ?? 50);
  const s = performance.now();
  let bad = 0;
  for (let seed = from; seed < from + n; seed += 1) {
    const result = await simulate(planOf(seed));
    if (process.env.SHOW) console.log(result.trace.join('\n'), result.digest);
    if (result.problems.length > 0) { bad += 1; console.log(seed, result.problems.slice(0, 3).map(p => p.slice(0, 1500))); }
  }
  console.log('bad', bad, 'ms each', (performance.now() - s) / n);
  expect(1).toBe(1);
});
