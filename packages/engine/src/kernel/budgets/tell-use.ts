import type { Agent } from '@baton/protocol';
import { emit, type WorkingRun } from '../working-run.ts';
import { type Use, usesOf } from './dimensions.ts';
import { type HeldBudget, heldBudgets } from './held-budgets.ts';
import { NOTHING_USED } from './usage.ts';

/**
 * Tells readers of the log how much of a budget is used: each tenth of a limit (`budget.consumed`), and once its
 * threshold (`budget.threshold.crossed`). So the number of these events does not grow with the number of calls.
 * Example: of a budget of 1,000 tokens, a call that brings the use from 150 to 420 tokens is told once, with
 * `consumed: 420`.
 */

const USUAL_THRESHOLD = 80;

/** `record` records an event that uses a part of the budgets. */
export function usingBudgets(
  working: WorkingRun,
  nodeId: string,
  agent: Agent | undefined,
  record: () => void,
): void {
  const before = heldBudgets(working, agent);
  record();
  if (before.length === 0) return;
  for (const [at, held] of heldBudgets(working, agent).entries()) tellUse(working, nodeId, before[at], held);
}

function tellUse(
  working: WorkingRun,
  nodeId: string,
  earlier: HeldBudget | undefined,
  now: HeldBudget,
): void {
  const before = usesOf(now.budget, earlier?.usage ?? NOTHING_USED);
  const percent = now.budget.thresholdPercent ?? USUAL_THRESHOLD;
  for (const use of usesOf(now.budget, now.usage)) {
    const { consumed, limit } = use;
    const used = before.find(({ dimension }) => dimension === use.dimension)?.consumed ?? 0;
    if (tenthsOf(use) > tenthsOf({ ...use, consumed: used })) {
      const remaining = Math.max(0, limit - consumed);
      emit(working, 'budget.consumed', { ...use, remaining }, nodeId, now.reservedId);
    }
    const threshold = (limit * percent) / 100;
    if (used < threshold && consumed >= threshold)
      emit(working, 'budget.threshold.crossed', { ...use, percent }, nodeId, now.reservedId);
  }
}

function tenthsOf({ consumed, limit }: Use): number {
  return limit === 0 ? 10 : Math.min(10, Math.floor((consumed / limit) * 10));
}
