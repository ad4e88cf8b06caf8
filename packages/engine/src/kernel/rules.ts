import type { Rules, Run } from './run.ts';

/**
 * Which rules a run goes by. The number is recorded when a run starts (`rules` in `run.started`), and a child has that
 * of its parent. A run without a number was started by version 0.3 or before and keeps the rules of then for its
 * whole life, so that its log still folds and replays to the same bytes; so does everything that is forked from it.
 *
 * Rules 1, mostly in the words of the requirements:
 * - READ-34: a supervisor that feeds a dispatch node loops without an edge back, too.
 * - READ-35: an edit of an escalated decision takes its place; it is not another decision.
 * - READ-37: what a branch inherits of memory expires after the time that it had left at the cut.
 * - READ-38: what a child remembered comes home although no node waits for the child.
 * - READ-41: a child that gave up is no success of its parent, and an empty list of criteria states nothing.
 * - READ-42: revisions count against `maxLoopIterations`.
 * - READ-43: workers and critics are named by the same rule.
 * - MAP-27: children have the `configurable` of their parent.
 * - ATTEST-19: a run that is stopped records that outputs at the gate were not merged.
 * - `core.fail` without a code fails with `node_failed`; before, with a code of the fixtures of the protocol.
 */
export const RULES: Rules = 1;

export function goesBy({ rules }: Pick<Run, 'rules'>, wanted: Rules): boolean {
  return rules !== undefined && rules >= wanted;
}
