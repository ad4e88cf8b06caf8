import { MemoryScopeIsolation, runError } from '@baton/protocol';
import Type from 'typebox';
import { carryUsage } from '../kernel/agents/carry-usage.ts';
import { assign, completeNode, failNode } from '../kernel/execute.ts';
import { childGoals } from '../kernel/goal.ts';
import type { PlanNode } from '../kernel/graph/plan.ts';
import { tellMissedGoal } from '../kernel/handoff/child-end.ts';
import { planChild, refuseInputs, startChild } from '../kernel/handoff/children.ts';
import { gateOf, OutputAttestation } from '../kernel/handoff/gate.ts';
import {
  gateOutputs,
  type Handing,
  lastChild,
  proceedWithWorkers,
  workersOf,
} from '../kernel/handoff/handoff.ts';
import { harvest, project } from '../kernel/handoff/mapping.ts';
import { checkEdit, refusalCode, takeAnswer } from '../kernel/handoff/merge-gate.ts';
import { carryHome, isIsolated, readyToCarry } from '../kernel/memory/carry.ts';
import { catchUp } from '../kernel/memory/shared-scope.ts';
import type { NodeType } from '../kernel/model.ts';
import { endStatus, type Run, type WaitForWorkers, workersWait } from '../kernel/run.ts';
import { emit, type WorkingRun, workingChild } from '../kernel/working-run.ts';

const MappingSchema = Type.Record(Type.String(), Type.String());

const SubWorkflowConfig = Type.Object(
  {
    /** A workflow or an agent. */
    workflowId: Type.String({ minLength: 1, maxLength: 256 }),
    waitForCompletion: Type.Optional(Type.Boolean()),
    onChildFailure: Type.Optional(Type.Unsafe<'fail-parent' | 'absorb'>({ enum: ['fail-parent', 'absorb'] })),
    inputMapping: Type.Optional(MappingSchema),
    outputMapping: Type.Optional(MappingSchema),
    propagateCancellation: Type.Optional(Type.Boolean()),
    outputAttestation: Type.Optional(OutputAttestation),
    memoryScopeIsolation: Type.Optional(MemoryScopeIsolation),
  },
  { additionalProperties: false },
);
type SubWorkflowConfig = Type.Static<typeof SubWorkflowConfig>;

/**
 * Runs a workflow that the author named as a child run. If the node has a merge gate, the child goes through
 * the same handoff as the worker of a supervisor. Its first transition is then caused by the start of the
 * node.
 */
export const subWorkflow: NodeType = {
  typeId: 'core.subWorkflow',
  config: SubWorkflowConfig,
  check: (node) =>
    gateOf({ node, config: (node.config ?? {}) as PlanNode['config'] }) &&
    node.config?.waitForCompletion === false
      ? ['config.waitForCompletion: must not be false for a node with a merge gate']
      : [],
  start: ({ node, config }) => {
    const gated = gateOf({ node, config }) !== undefined;
    const { workflowId } = config as unknown as SubWorkflowConfig;
    return { do: 'proceed', ...(gated && { handsTo: workflowId }) };
  },
  proceed,
  checkAnswer: (working, nodeId, value) => {
    const node = working.plan.nodes.get(nodeId);
    if (node) checkEdit(working, nodeId, handing(node).heldFor(''), value);
  },
  answered: (_view, answer) => ({
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      if (node) takeAnswer(working, nodeId, handing(node).heldFor(''), answer);
    },
  }),
};

function configOf(node: PlanNode): SubWorkflowConfig {
  return node.config as unknown as SubWorkflowConfig;
}

function proceed(working: WorkingRun, nodeId: string): boolean {
  const node = working.plan.nodes.get(nodeId);
  const state = working.run.nodes[nodeId];
  if (node === undefined || state?.status !== 'running') return false;
  if (workersWait(working.run, nodeId)) return proceedWithWorkers(working, nodeId, handing(node));
  if (state.wait.for === 'nothing') return begin(working, node, state.startedId);
  if (state.wait.for !== 'child') return false;
  const child = workingChild(working, state.wait.childRunId)?.run;
  if (child === undefined || endStatus(child) === undefined) return false;
  const memory = readyToCarry(working, child, isIsolated(node));
  if (memory !== 'current') return memory === 'moved';
  settle(working, node, child);
  return true;
}

function childStartOf(working: WorkingRun, node: PlanNode) {
  const scopes = gateOf(node)?.attestation?.principalScope;
  const inputs = project(configOf(node).inputMapping ?? {}, working.run.variables);
  return { inputs, as: 'variables', ...(scopes && { scopes }), isolated: isIsolated(node) } as const;
}

function handing(node: PlanNode): Handing {
  return {
    heldFor: () => ({
      gate: gateOf(node),
      mapping: configOf(node).outputMapping ?? {},
      isolated: isIsolated(node),
    }),
    childStart: (working) => childStartOf(working, node),
    finish: (working, _nodeId, wait) => finishGated(working, node, wait),
  };
}

function begin(working: WorkingRun, node: PlanNode, startedId: string): boolean {
  const { workflowId, waitForCompletion } = configOf(node);
  const memory = catchUp(working);
  if (memory !== 'current') return memory === 'moved';
  const child = planChild(working, node.id, workflowId);
  if (child.kind === 'unknown') return false;
  const childStart = childStartOf(working, node);
  const problem = child.kind === 'refused' ? child.error : refuseInputs(child.workflow, childStart);
  if (child.kind === 'refused' || problem) {
    failNode(working, node, problem ?? runError('child_failed'), false);
    return true;
  }
  const childRunId = startChild(working, node.id, child.workflow, childStart, startedId);
  if (typeof childRunId !== 'string') {
    failNode(working, node, childRunId, false);
    return true;
  }
  emit(working, 'node.dispatched', { childRunId, childWorkflowId: workflowId }, node.id, startedId);
  if (waitForCompletion === false) completeNode(working, node.id, { childRunId, childStatus: 'running' });
  return true;
}

/** A failed or cancelled child never changes the variables of its parent, whatever `onChildFailure` says. */
function settle(working: WorkingRun, node: PlanNode, child: Run): void {
  carryUsage(working, node.id, child);
  if (endStatus(child) === 'completed') {
    assign(working, node.id, harvest(configOf(node).outputMapping ?? {}, child.variables));
    carryHome(working, node.id, child, isIsolated(node));
    tellMissedGoal(working, node.id, child);
    const goals = childGoals(working.run, [child.workflowId]);
    completeNode(working, node.id, { childRunId: child.runId, childStatus: 'completed', ...goals });
  } else failWithChild(working, node, child);
}

function failWithChild(working: WorkingRun, node: PlanNode, child: Run): void {
  const status = endStatus(child) ?? 'failed';
  const details = { childRunId: child.runId };
  if (configOf(node).onChildFailure === 'absorb') {
    completeNode(working, node.id, { ...details, childStatus: status });
  } else if (status === 'cancelled') {
    failNode(working, node, runError('child_cancelled', undefined, details));
  } else {
    const cause = child.phase.kind === 'ended' ? child.phase.error : undefined;
    const message = `Child run of "${child.workflowId}" failed: ${cause?.message ?? 'no reason was given'}`;
    failNode(working, node, runError('child_failed', message, { ...details, childError: cause?.code ?? '' }));
  }
}

/** A child whose outputs were not merged counts as failed. */
function finishGated(working: WorkingRun, node: PlanNode, wait: WaitForWorkers): void {
  const { handoff, settled = [] } = wait;
  const child =
    handoff?.childRunId === undefined ? undefined : workingChild(working, handoff.childRunId)?.run;
  const verdict = settled.at(-1);
  if (child && endStatus(child) !== 'completed') {
    failWithChild(working, node, child);
    return;
  }
  if (verdict?.merged === true || configOf(node).onChildFailure === 'absorb') {
    const goals = childGoals(working.run, workersOf(wait));
    completeNode(working, node.id, { ...lastChild(wait), ...goals, ...gateOutputs(wait) });
    return;
  }
  const code = verdict ? refusalCode(verdict.why) : 'child_failed';
  failNode(working, node, runError(code), false);
}
