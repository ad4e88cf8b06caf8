import type { Agent, Budget, PayloadOf } from '@baton/protocol';
import { emit, type WorkingRun } from '../working-run.ts';

/** Records the limits of a budget when it begins to hold. */

type Limits = PayloadOf<'budget.reserved'>['effectiveBudget'];

/**
 * The first step of a root with a budget. A branch that changes the budget records it again. False when there is
 * nothing to record.
 */
export function reserveForRun(working: WorkingRun): boolean {
  const { run } = working;
  const budget = run.configurable.budget as Budget | undefined;
  if (budget === undefined || run.parent !== undefined) return false;
  const effectiveBudget = limitsIn(budget);
  if (JSON.stringify(run.reserved?.limits ?? {}) === JSON.stringify(effectiveBudget)) return false;
  emit(working, 'budget.reserved', { effectiveBudget, scope: 'run' });
  return true;
}

/** The first invocation of an agent in a run records the agent's own budget. */
export function reserveForAgent(working: WorkingRun, nodeId: string, agent: Agent): void {
  const { run } = working;
  const { budget, agentId } = agent;
  if (budget === undefined || run.agents?.[agentId] !== undefined) return;
  const effectiveBudget = limitsIn(budget);
  if (Object.keys(effectiveBudget).length === 0) return;
  emit(working, 'budget.reserved', { effectiveBudget, scope: 'agent' }, nodeId);
}

function limitsIn({ maxTokens, maxCostUsd, maxToolCalls }: Budget): Limits {
  return {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(maxCostUsd !== undefined && { maxCostUsd }),
    ...(maxToolCalls !== undefined && { maxToolCalls }),
  };
}
