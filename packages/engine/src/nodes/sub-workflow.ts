import { type JsonObject, runError } from '@baton/protocol';
import Type from 'typebox';
import { planChild, refuseInputs, startChild } from '../kernel/children.ts';
import { assign, completeNode, failNode } from '../kernel/execute.ts';
import { harvest, type Mapping, project } from '../kernel/mapping.ts';
import type { NodeType } from '../kernel/node-type.ts';
import type { PlanNode } from '../kernel/plan.ts';
import { endStatus, type Run } from '../kernel/run.ts';
import { childTurn, emit, type Turn } from '../kernel/turn.ts';

const MappingSchema = Type.Record(Type.String(), Type.String());

export const SubWorkflowConfig = Type.Object(
  {
    workflowId: Type.String({ minLength: 1, maxLength: 128 }),
    waitForCompletion: Type.Optional(Type.Boolean()),
    onChildFailure: Type.Optional(Type.Unsafe<'fail-parent' | 'absorb'>({ enum: ['fail-parent', 'absorb'] })),
    inputMapping: Type.Optional(MappingSchema),
    outputMapping: Type.Optional(MappingSchema),
    propagateCancellation: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
type SubWorkflowConfig = Type.Static<typeof SubWorkflowConfig>;

/** Runs a workflow that the author chose as a child run. */
export const subWorkflow: NodeType = {
  typeId: 'core.subWorkflow',
  config: SubWorkflowConfig,
  start: () => ({ do: 'act', act: proceed }),
  proceed,
};

function proceed(turn: Turn, nodeId: string): boolean {
  const node = turn.plan.nodes.get(nodeId);
  const state = turn.run.nodes[nodeId];
  if (node === undefined || state?.status !== 'running') return false;
  const config = node.config as unknown as SubWorkflowConfig;
  if (state.wait.for === 'nothing') return begin(turn, node, config, state.startedId);
  if (state.wait.for !== 'child') return false;
  const child = childTurn(turn, state.wait.childRunId)?.run;
  const status = child && endStatus(child);
  if (child === undefined || status === undefined) return false;
  settle(turn, node, config, child);
  return true;
}

function begin(turn: Turn, node: PlanNode, config: SubWorkflowConfig, startedId: string): boolean {
  const child = planChild(turn, config.workflowId);
  if (child.kind === 'unknown') return false;
  if (child.kind === 'refused') {
    failNode(turn, node, child.error, false);
    return true;
  }
  const gift = { inputs: project(config.inputMapping ?? {}, turn.run.variables), as: 'variables' } as const;
  const misfit = refuseInputs(child.workflow, gift);
  if (misfit) {
    failNode(turn, node, misfit, false);
    return true;
  }
  const childRunId = startChild(turn, node.id, child.workflow, gift, startedId);
  if (typeof childRunId !== 'string') {
    failNode(turn, node, childRunId, false);
    return true;
  }
  emit(turn, 'node.dispatched', { childRunId, childWorkflowId: config.workflowId }, node.id, startedId);
  if (config.waitForCompletion === false) completeNode(turn, node.id, { childRunId, childStatus: 'running' });
  return true;
}

/** A failed or cancelled child leaves the parent's variables as they were, whatever the policy. */
function settle(turn: Turn, node: PlanNode, config: SubWorkflowConfig, child: Run): void {
  const status = endStatus(child) ?? 'failed';
  const outputs: JsonObject = { childRunId: child.runId, childStatus: status };
  if (status === 'completed') {
    assign(turn, node.id, harvest((config.outputMapping ?? {}) as Mapping, child.variables));
    completeNode(turn, node.id, outputs);
  } else if (config.onChildFailure === 'absorb') {
    completeNode(turn, node.id, outputs);
  } else if (status === 'cancelled') {
    failNode(turn, node, runError('child_cancelled', undefined, { childRunId: child.runId }));
  } else {
    const cause = child.phase.kind === 'ended' ? child.phase.error : undefined;
    const message = `Child run of "${child.workflowId}" failed: ${cause?.message ?? 'no reason was given'}`;
    failNode(
      turn,
      node,
      runError('child_failed', message, { childRunId: child.runId, childError: cause?.code ?? '' }),
    );
  }
}
