import type { TriggerRule } from '@baton/protocol';
import type { Run } from '../run.ts';
import type { WorkingRun } from '../working-run.ts';
import { firstLine } from './expression.ts';
import { bindingsOf } from './inputs.ts';
import type { Loop } from './loops.ts';
import type { PlanEdge, PlanNode } from './plan.ts';
import { type StepMeter, stepMeter } from './step-meter.ts';

/**
 * Decides whether a node may start, from its edges, their conditions and trigger rules, and the state of a
 * loop.
 */

type Readiness = 'start' | 'skip' | 'wait' | { readonly broken: string };
type EdgeOutcome = 'pending' | 'success' | 'failed' | 'skipped';

export function readiness(working: WorkingRun, node: PlanNode): Readiness {
  const state = working.run.nodes[node.id];
  const { loop } = node;
  if (loop?.dispatch === node.id) return dispatchReady(working.run, loop);
  if (state !== undefined) return loop ? supervisorReady(working.run, loop) : 'wait';
  if (node.incoming.length === 0) return 'start';
  try {
    return joinGroups(working, node.incoming);
  } catch (problem) {
    return { broken: firstLine(problem instanceof Error ? problem.message : String(problem)) };
  }
}

/** A dispatch node runs after each turn of its supervisor whose decision needs it. */
function dispatchReady(run: Run, loop: Loop): Readiness {
  const supervisor = run.nodes[loop.supervisor];
  const dispatch = run.nodes[loop.dispatch];
  if (supervisor?.status !== 'completed' || run.decision === undefined) return 'wait';
  if (run.decision.decision.kind === 'terminate') return 'wait';
  if (dispatch !== undefined && dispatch.status !== 'completed') return 'wait';
  return supervisor.startedSeq > (dispatch?.startedSeq ?? -1) ? 'start' : 'wait';
}

/** A supervisor takes its next turn after every worker has settled, or after its decision was rejected. */
function supervisorReady(run: Run, loop: Loop): Readiness {
  const supervisor = run.nodes[loop.supervisor];
  const dispatch = run.nodes[loop.dispatch];
  if (supervisor?.status !== 'completed') return 'wait';
  if (supervisor.decided === 'rejected') return 'start';
  if (dispatch?.status !== 'completed') return 'wait';
  return dispatch.startedSeq > supervisor.startedSeq ? 'start' : 'wait';
}

/** Edges with the same rule are judged together. The node starts when every group allows it. */
function joinGroups(working: WorkingRun, edges: readonly PlanEdge[]): Readiness {
  const groups = new Map<TriggerRule, EdgeOutcome[]>();
  const meter = stepMeter(working.run.limits);
  try {
    for (const edge of edges) {
      const outcomes = groups.get(edge.rule) ?? [];
      outcomes.push(outcomeOf(working, edge, meter));
      groups.set(edge.rule, outcomes);
    }
  } finally {
    working.tree.work += meter.limit - meter.left;
  }
  let result: Readiness = 'start';
  for (const [rule, outcomes] of groups) {
    const verdict = judge(rule, outcomes);
    if (verdict === 'skip') return 'skip';
    if (verdict === 'wait') result = 'wait';
  }
  return result;
}

/** The trigger rules. A join is skipped when all its sources were skipped, whatever its rule. */
export function judge(rule: TriggerRule, outcomes: readonly EdgeOutcome[]): 'start' | 'skip' | 'wait' {
  const has = (outcome: EdgeOutcome) => outcomes.includes(outcome);
  const undecided = has('pending');
  switch (rule) {
    case 'all_success':
      if (has('failed') || has('skipped')) return 'skip';
      return undecided ? 'wait' : 'start';
    case 'any_success':
      if (has('success')) return 'start';
      return undecided ? 'wait' : 'skip';
    case 'all_complete':
      if (undecided) return 'wait';
      return has('success') || has('failed') ? 'start' : 'skip';
    case 'none_failed':
      if (has('failed')) return 'skip';
      if (undecided) return 'wait';
      return has('success') ? 'start' : 'skip';
    case 'any_failed':
      if (has('failed')) return 'start';
      return undecided ? 'wait' : 'skip';
  }
}

function outcomeOf(working: WorkingRun, edge: PlanEdge, meter: StepMeter): EdgeOutcome {
  const { run, plan } = working;
  const state = run.nodes[edge.source];
  const loop = plan.nodes.get(edge.source)?.loop;
  if (loop && state?.status !== 'failed') {
    const course = courseOf(run, loop);
    if (course === 'open') return 'pending';
    if (course === 'broken' || state === undefined) return 'skipped';
  }
  switch (state?.status) {
    case undefined:
    case 'running':
    case 'retrying':
      return 'pending';
    case 'completed':
      return edge.condition === undefined || edge.condition(bindingsOf(run), meter) ? 'success' : 'skipped';
    case 'failed':
      return 'failed';
    case 'skipped':
      // A disabled node counts as successful. Any other skipped node makes the next one skipped.
      return state.reason === DISABLED ? 'success' : 'skipped';
    case 'cancelled':
      return 'skipped';
  }
}

export const DISABLED = 'disabled';

/**
 * Edges out of a loop wait until the supervisor has terminated the loop, or until no further turn is
 * possible.
 */
function courseOf(run: Run, loop: Loop): 'open' | 'ended' | 'broken' {
  const supervisor = run.nodes[loop.supervisor];
  const dispatch = run.nodes[loop.dispatch];
  if (supervisor?.status === 'completed' && supervisor.decided === 'terminate') return 'ended';
  if (supervisor?.status === 'skipped') return supervisor.reason === DISABLED ? 'ended' : 'broken';
  const stuck =
    supervisor?.status === 'failed' || dispatch?.status === 'failed' || dispatch?.status === 'skipped';
  return stuck ? 'broken' : 'open';
}
