import type { Plan } from './plan.ts';

/**
 * Removes steps from a plan that fails, for as long as it still fails: first halves of what is left, then
 * quarters, and single steps at the end.
 */
export async function shrink(plan: Plan, fails: (smaller: Plan) => Promise<boolean>): Promise<Plan> {
  let best = plan;
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.steps.length; ) {
      const steps = best.steps.filter((_, at) => at < from || at >= from + size);
      const smaller = { ...best, steps };
      if (await fails(smaller)) best = smaller;
      else from += size;
    }
  }
  return best;
}
