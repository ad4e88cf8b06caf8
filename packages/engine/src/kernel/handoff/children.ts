import { childRunId, type RunError, runError, workflowOfWorker } from '@baton/protocol';
import type { ForkPoint } from '../../ports/store.ts';
import { callersTrace } from '../callers-trace.ts';
import { problemWithInputs, startRun } from '../create.ts';
import { viewOfMemory } from '../fold/evolve-fork.ts';
import { treeIsFull } from '../limits.ts';
import type { Assignments } from '../model.ts';
import { narrowScopes } from '../people/scopes.ts';
import { recordedStart } from '../replay/refused-child.ts';
import { followed, isAtEnd, type RecordedChild } from '../replay/source.ts';
import type { RunFork } from '../run.ts';
import { EventTooLargeError, type ResolvedWorkflow, type WorkingRun } from '../working-run.ts';

/** Starts child runs: checks which workflow may be started, and with which inputs. */

type ChildPlan =
  | { readonly kind: 'ready'; readonly workflow: ResolvedWorkflow }
  | { readonly kind: 'refused'; readonly error: RunError }
  /** The driver must look the workflow up first. */
  | { readonly kind: 'unknown' };

/** The id is that of a workflow or of an agent. */
export function planChild(working: WorkingRun, nodeId: string, id: string): ChildPlan {
  const { run, tree } = working;
  const workflowId = workflowOfWorker(id);
  const began = recordedStart(working, nodeId);
  if (began === 'unknown') return { kind: 'unknown' };
  if (began?.kind === 'refused') return began;
  const lineage = [...run.lineage, run.workflowId];
  if (lineage.includes(workflowId)) {
    const message = `Workflow "${workflowId}" is already running above this run: ${lineage.join(' → ')}.`;
    return { kind: 'refused', error: runError('cycle_detected', message) };
  }
  if (began === undefined && lineage.length >= tree.world.maxDepth) {
    const message = `Runs may be nested ${tree.world.maxDepth} deep; "${workflowId}" would exceed that.`;
    return { kind: 'refused', error: runError('depth_limit_exceeded', message) };
  }
  const full = treeIsFull(working);
  if (full) return { kind: 'refused', error: full };
  const recorded = recordedChild(working, workflowId);
  if (recorded === 'unknown') return { kind: 'unknown' };
  const found = recorded?.workflow ?? tree.world.workflow(run.tenant, workflowId);
  if (found === 'unknown') {
    tree.wanted.push({ kind: 'workflow', tenant: run.tenant, id: workflowId });
    return { kind: 'unknown' };
  }
  if (found === 'absent') {
    const message = `No workflow "${workflowId}" is registered.`;
    return { kind: 'refused', error: runError('worker_not_found', message) };
  }
  return { kind: 'ready', workflow: found };
}

/** A child of a replay runs the definition of the source's child, even if a newer one is registered now. */
function recordedChild(working: WorkingRun, workflowId: string): RecordedChild | 'unknown' | undefined {
  const source = followed(working);
  if (source === undefined) return undefined;
  const number = working.run.children + 1;
  const known = source.children.get(number);
  if (known === undefined) {
    working.tree.wanted.push({ kind: 'source-child', runId: working.run.runId, number });
    return 'unknown';
  }
  return known !== 'absent' && known.started.payload.workflowId === workflowId ? known : undefined;
}

export interface ChildStart {
  readonly inputs: Assignments;
  readonly role?: 'critic';
  /**
   * `inputs`: given like the inputs of a caller. `variables`: set over the defaults of the child's variables.
   */
  readonly as: 'inputs' | 'variables';
  /** The child has at most these scopes. Without a list it has the scopes of its parent. */
  readonly scopes?: readonly string[];
  /** The child starts without memory, and its memory is not copied to its parent. */
  readonly isolated?: boolean;
}

export function refuseInputs(workflow: ResolvedWorkflow, start: ChildStart): RunError | undefined {
  const problem = problemWithInputs(workflow.plan.definition, present(start.inputs));
  return problem && runError('input_missing', `${problem.field} ${problem.problem}`);
}

/** Starts the child and returns its id. The child takes its steps in the same slice, while there is time. */
export function startChild(
  working: WorkingRun,
  nodeId: string,
  workflow: ResolvedWorkflow,
  start: ChildStart,
  causedBy: string,
): string | RunError {
  const { run, tree } = working;
  const id = childRunId(run.runId, run.children + 1);
  const scopes = narrowScopes(run.scopes, start.scopes);
  const recorded = recordedChild(working, workflow.plan.definition.id);
  const began = recorded === 'unknown' ? undefined : recorded?.started.payload;
  const traceparent = began ? began.traceparent : callersTrace(run);
  const child = {
    runId: id,
    workflow,
    tenant: run.tenant,
    principal: run.principal,
    ...(scopes && { scopes }),
    inputs: start.as === 'inputs' ? present(start.inputs) : {},
    ...(start.as === 'variables' && { seeds: start.inputs }),
    ...(start.role && { role: start.role }),
    ...(run.scopeId && !start.isolated && { scopeId: run.scopeId }),
    ...(!start.isolated && { memoryBase: viewOfMemory(run.memory) }),
    ...(Object.keys(run.configurable).length > 0 && { configurable: run.configurable }),
    ...(traceparent !== undefined && { traceparent }),
    parent: { runId: run.runId, nodeId, causedBy },
    lineage: [...run.lineage, run.workflowId],
    ...(run.agentChecks && { agentChecks: run.agentChecks }),
    ...(began && { host: began }),
    ...(run.fork?.mode === 'replay' && { point: pointOfChild(working, id, run.fork) }),
  };
  const isNewHere = isAtEnd(working);
  try {
    const { source } = startRun(tree, child);
    // The log of the source ends before this child began, so there is nothing of the child to follow.
    if (source !== undefined && isNewHere) source.complete = true;
  } catch (problem) {
    // The inputs do not fit into the first event of the child, so the child is not started.
    if (!(problem instanceof EventTooLargeError)) throw problem;
    return runError('event_too_large', problem.message);
  }
  return id;
}

/** The child of a replay is a replay of the source's child of the same number. */
function pointOfChild({ tree, run }: WorkingRun, runId: string, fork: RunFork): ForkPoint {
  const sourceRunId = childRunId(fork.sourceRunId, run.children + 1);
  const { models, upTo } = fork;
  const origin = childRunId(fork.origin, run.children + 1);
  return {
    runId,
    parentRunId: run.runId,
    createdAt: tree.world.now,
    fork: {
      sourceRunId,
      fromSeq: 0,
      mode: 'replay',
      models,
      live: [],
      ...(upTo !== undefined && { upTo }),
      ...(origin !== sourceRunId && { origin }),
    },
  };
}

/** Leaves out unset values, because JSON has no `undefined`. */
function present(values: Assignments) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Record<
    string,
    NonNullable<Assignments[string]>
  >;
}
