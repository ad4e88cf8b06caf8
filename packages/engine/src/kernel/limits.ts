import { type CapKind, laterBy, type RunError, type RunErrorCode, runError } from '@baton/protocol';
import { failRun } from './ending.ts';
import { DISPATCH, SUPERVISOR } from './graph/loops.ts';
import type { PlanNode } from './graph/plan.ts';
import { isEnded, type Run } from './run.ts';
import { emit, type WorkingRun } from './working-run.ts';

/**
 * Limits on a run. When a limit is exceeded, this is recorded and the run fails. Work over the limit never
 * starts.
 */

/** Limits that end the run. The limit on invalid answers of a model (`schema`) ends only the node. */
type RunCap = Exclude<CapKind, 'schema' | `budget-${string}`>;

const CODE_OF: Record<RunCap, RunErrorCode> = {
  'node-executions': 'recursion_limit_exceeded',
  'run-duration': 'run_timeout',
  'loop-iterations': 'loop_limit_exceeded',
  'dispatch-iterations': 'dispatch_limit_exceeded',
};

/** The first moment at which the run has taken longer than allowed. */
export function durationDeadline(run: WorkingRun['run']): number {
  return laterBy(run.startedAt, run.limits.durationMs + 1);
}

export function breachDuration(working: WorkingRun): boolean {
  const { run, tree } = working;
  if (tree.world.now < durationDeadline(run)) return false;
  breach(working, 'run-duration', run.limits.durationMs, tree.world.now - run.startedAt);
  return true;
}

/** Whether the run exceeds a limit on its size. */
export function hasOutgrown({ limits, size, head }: Run): boolean {
  const { stateCharacters, variables, logEvents } = limits;
  return size.characters > stateCharacters || size.variables > variables || head > logEvents;
}

export function breachSize(working: WorkingRun): boolean {
  const { limits, size, head } = working.run;
  if (!hasOutgrown(working.run)) return false;
  const { stateCharacters, variables, logEvents } = limits;
  const told = (code: RunErrorCode, what: string, limit: number, observed: number) =>
    failRun(
      working,
      runError(code, `The run has ${observed} ${what}; the limit is ${limit}.`, { limit, observed }),
    );
  if (head > logEvents) told('log_limit_exceeded', 'events in its log', logEvents, head);
  else if (size.variables > variables) told('state_too_large', 'variables', variables, size.variables);
  else
    told(
      'state_too_large',
      'characters in variables, channels and outputs',
      stateCharacters,
      size.characters,
    );
  return true;
}

/** The error when no further run may start in the tree. */
export function treeIsFull({ run, tree }: WorkingRun): RunError | undefined {
  const limit = run.limits.treeRuns;
  if (tree.runs.size < limit) return undefined;
  let live = 0;
  for (const working of tree.runs.values()) if (!isEnded(working.run)) live += 1;
  if (live < limit) return undefined;
  return runError(
    'tree_limit_exceeded',
    `The tree has ${live} runs that have not ended; the limit is ${limit}.`,
  );
}

/**
 * Whether the limit on loops allows another decision of the supervisor, or another attempt after a critic's
 * revise.
 */
export function hasTurnLeft(run: Run): boolean {
  return turnsTaken(run) < run.limits.loopIterations;
}

function turnsTaken({ iteration, revisions = 0 }: Run): number {
  return iteration + revisions;
}

/** Stops a node that would exceed a limit, before it starts. */
export function breachBeforeStart(working: WorkingRun, node: PlanNode): boolean {
  const { run } = working;
  if (run.executions + 1 > run.limits.nodeExecutions) {
    return breach(working, 'node-executions', run.limits.nodeExecutions, run.executions + 1, node.id);
  }
  if (node.type.typeId === SUPERVISOR && !hasTurnLeft(run)) {
    return breach(working, 'loop-iterations', run.limits.loopIterations, turnsTaken(run) + 1, node.id);
  }
  const cap = node.type.typeId === DISPATCH ? node.config.iterationCap : undefined;
  if (typeof cap === 'number' && run.dispatches + 1 > cap) {
    return breach(working, 'dispatch-iterations', cap, run.dispatches + 1, node.id);
  }
  return false;
}

function breach(working: WorkingRun, kind: RunCap, limit: number, observed: number, nodeId?: string): true {
  const cause = emit(working, 'cap.breached', { kind, limit, observed, ...(nodeId && { nodeId }) }, nodeId);
  const error = runError(CODE_OF[kind], undefined, { limit, observed });
  failRun(working, error, nodeId, cause);
  return true;
}
