import type { Rules, Run } from './run.ts';

/**
 * The version of the rules that a run follows. The number is recorded when a run starts (`rules` in
 * `run.started`). A child has the number of its parent. A run without a number was started by version 0.3 or
 * earlier. It keeps the rules of that version for its whole life, and so do its forks, so that its log still
 * folds and replays to the same bytes.
 *
 * Rules 1, with the ids of the requirements:
 * - READ-34: a supervisor before a dispatch node also loops without an edge back to the supervisor.
 * - READ-35: an edit of an escalated decision replaces the decision. It does not count as another decision.
 * - READ-37: a memory entry that a branch inherits expires after the time that it had left at the cut.
 * - READ-38: the memory of a child is copied to its parent even if no node waits for the child.
 * - READ-41: a child that does not meet its goal is not a success of its parent. An empty list of criteria
 *   counts as none.
 * - READ-42: revisions count against `maxLoopIterations`.
 * - READ-43: workers and critics are named by the same rule.
 * - MAP-27: children have the `configurable` of their parent.
 * - ATTEST-19: a run that is stopped records that outputs at the merge gate were not merged.
 * - `core.fail` without a code fails with `node_failed`; before, with a code of the fixtures of the protocol.
 *
 * Rules 2:
 * - An intended effect is an event of its own, with a step number, so that a node may perform many effects.
 *   Before, `node.started` held the only one.
 * - Each attempt to get a valid answer from a model is an effect.
 *
 * Rules 3:
 * - The log tells which budgets hold and how much of them is used (`budget.reserved`, `budget.consumed`,
 *   `budget.threshold.crossed`).
 * - The budget of an agent counts the calls of this agent. Before, it counted all calls of the run.
 * - The budget of a run also holds for the model calls of nodes without an agent.
 * - Only tool calls that are made count for budgets, and the calls of one answer of a model are made together or
 *   not at all. Before, calls that the host refused counted too.
 * - A budget of 0 US dollars allows no call. Before, it allowed calls until the price of one was known.
 * - A node whose agent has called a tool that may not be repeated is not tried again.
 * - A confidence that is no number from 0 to 1 does not pass the threshold of an agent.
 * - A model whose answer has the required form and is refused for another reason is told the reason.
 */
export const RULES: Rules = 3;

export function goesBy({ rules }: Pick<Run, 'rules'>, wanted: Rules): boolean {
  return rules !== undefined && rules >= wanted;
}
