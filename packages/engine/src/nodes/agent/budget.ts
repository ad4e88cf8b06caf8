import type { Agent, Budget, RunError } from '@baton/protocol';
import { deniedModel, overBudget } from '../../kernel/budgets/refuse-call.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import { type Invocation, invocationOf } from './invocation.ts';

/** What an invocation may use. Each call is checked before it is intended. */

/** The error when a budget does not allow the next model call of the invocation. */
export function refusedModel(invocation: Invocation): RunError | undefined {
  const { working, node, agent } = invocation;
  return deniedFor(invocation) ?? overBudget(working, node.id, agent, 'model');
}

/** The error when a budget does not allow the model of the invocation. */
export function deniedFor({ working, agent, ready }: Invocation): RunError | undefined {
  return deniedModel(working, agent, ready);
}

/** The error when a budget does not allow so many tool calls at once. */
export function refusedTools({ working, node, agent }: Invocation, calls: number): RunError | undefined {
  return overBudget(working, node.id, agent, 'tool', calls);
}

/** The agent whose invocation the node is in. */
export function agentAt(working: WorkingRun, node: PlanNode): Agent | undefined {
  return invocationOf(working, node)?.agent;
}

/** How often in a row an agent may call a tool with the same arguments, if its budget does not say. */
const MOST_EQUAL_CALLS = 5;

export function mostEqualCalls({ agent, working }: Invocation): number {
  const run = working.run.configurable.budget as Budget | undefined;
  const limits = [run?.maxEqualCalls, agent.budget?.maxEqualCalls].filter((limit) => limit !== undefined);
  return limits.length > 0 ? Math.min(...limits) : MOST_EQUAL_CALLS;
}
