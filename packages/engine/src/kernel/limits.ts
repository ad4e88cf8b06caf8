import { type CapKind, laterBy, type RunErrorCode, runError } from '@baton/protocol';
import { failRun } from './ending.ts';
import type { PlanNode } from './graph/plan.ts';
import { DISPATCH, SUPERVISOR } from './graph/plan.ts';
import { emit, type Turn } from './turn.ts';

/** Bounds on a run. A breach is recorded, then the run fails; the work over the limit never starts. */

/** Limits that end the run. The one on a model's answers ends only the node. */
type RunCap = Exclude<CapKind, 'schema'>;

const CODE_OF: Record<RunCap, RunErrorCode> = {
  'node-executions': 'recursion_limit_exceeded',
  'run-duration': 'run_timeout',
  'loop-iterations': 'loop_limit_exceeded',
  'dispatch-iterations': 'dispatch_limit_exceeded',
};

/** The first moment at which the run has taken longer than allowed. */
export function durationDeadline(run: Turn['run']): number {
  return laterBy(run.startedAt, run.limits.durationMs + 1);
}

export function breachDuration(turn: Turn): boolean {
  const { run, tree } = turn;
  if (tree.world.now < durationDeadline(run)) return false;
  breach(turn, 'run-duration', run.limits.durationMs, tree.world.now - run.startedAt);
  return true;
}

/** Stops a node that would exceed a limit, before it starts. */
export function breachBeforeStart(turn: Turn, node: PlanNode): boolean {
  const { run } = turn;
  if (run.executions + 1 > run.limits.nodeExecutions) {
    return breach(turn, 'node-executions', run.limits.nodeExecutions, run.executions + 1, node.id);
  }
  if (node.type.typeId === SUPERVISOR && run.iteration + 1 > run.limits.loopIterations) {
    return breach(turn, 'loop-iterations', run.limits.loopIterations, run.iteration + 1, node.id);
  }
  const cap = node.type.typeId === DISPATCH ? node.config.iterationCap : undefined;
  if (typeof cap === 'number' && run.dispatches + 1 > cap) {
    return breach(turn, 'dispatch-iterations', cap, run.dispatches + 1, node.id);
  }
  return false;
}

function breach(turn: Turn, kind: RunCap, limit: number, observed: number, nodeId?: string): true {
  const cause = emit(turn, 'cap.breached', { kind, limit, observed, ...(nodeId && { nodeId }) }, nodeId);
  const error = runError(CODE_OF[kind], undefined, { limit, observed });
  failRun(turn, error, nodeId, cause);
  return true;
}
