import type { RunError } from '@baton/protocol';
import { chain } from './chain.ts';
import { planChild, refuseInputs, startChild } from './children.ts';
import { recordEnd } from './ending.ts';
import { assign, completeNode } from './execute.ts';
import { effectiveMapping, harvest, isEmpty, project } from './mapping.ts';
import type { PlanNode } from './plan.ts';
import { endStatus, type Handoff, isEnded, type Wait } from './run.ts';
import { childTurn, emit, type Turn } from './turn.ts';

/**
 * The handoff machine: each worker of a decision goes pending → dispatching → running → completed →
 * harvested, or ends failed or cancelled. One worker at a time, in the order of the decision; what one
 * worker brought home is there for the next.
 */
export function proceedWithWorkers(turn: Turn, nodeId: string): boolean {
  const node = turn.plan.nodes.get(nodeId);
  const state = turn.run.nodes[nodeId];
  if (node === undefined || state?.status !== 'running' || state.wait.for !== 'workers') return false;
  const { wait } = state;
  if (wait.handoff?.state === 'running') return settleWorker(turn, node, wait.handoff);
  const workerId = workersOf(wait)[wait.began];
  if (workerId !== undefined) return beginWorker(turn, node, wait, workerId);
  completeNode(turn, nodeId, lastChild(wait.handoff));
  return true;
}

export function workersOf(wait: Extract<Wait, { for: 'workers' }>): readonly string[] {
  const { decision } = wait.decision;
  return decision.kind === 'next-worker' ? decision.nextWorkerIds : [];
}

function beginWorker(
  turn: Turn,
  node: PlanNode,
  wait: Extract<Wait, { for: 'workers' }>,
  workerId: string,
): boolean {
  const child = planChild(turn, workerId);
  if (child.kind === 'unknown') return false;
  const lastId = chain(turn, node.id, { workerId, lastId: wait.decision.eventId }, 'dispatch.began');
  const began = { workerId, lastId };
  if (child.kind === 'refused') return failToDispatch(turn, node, began, child.error);
  const gift = {
    inputs: project(effectiveMapping(node.config, 'input', workerId), turn.run.variables),
    as: 'inputs',
  } as const;
  const misfit = refuseInputs(child.workflow, gift);
  if (misfit) return failToDispatch(turn, node, began, misfit);
  const childRunId = startChild(turn, node.id, child.workflow, gift, lastId);
  if (typeof childRunId !== 'string') return failToDispatch(turn, node, began, childRunId);
  emit(turn, 'node.dispatched', { childRunId, childWorkflowId: workerId }, node.id, lastId);
  chain(turn, node.id, began, 'dispatch.succeeded', { childRunId });
  return true;
}

function failToDispatch(
  turn: Turn,
  node: PlanNode,
  began: Pick<Handoff, 'workerId' | 'lastId'>,
  error: RunError,
): true {
  chain(turn, node.id, began, 'dispatch.failed', { error });
  return true;
}

/** The child has ended: record how, and take home what the mapping names. */
function settleWorker(turn: Turn, node: PlanNode, handoff: Handoff): boolean {
  const { childRunId } = handoff;
  if (childRunId === undefined) return false;
  const child = childTurn(turn, childRunId);
  if (child === undefined || !isEnded(child.run)) return false;
  const completed = recordEnd(turn, node.id, handoff, child.run);
  if (endStatus(child.run) !== 'completed') return true;
  const mapping = effectiveMapping(node.config, 'output', handoff.workerId);
  if (isEmpty(mapping)) return true;
  const harvested = chain(turn, node.id, { ...handoff, lastId: completed }, 'output.harvested', {
    childRunId,
    harvestedKeys: Object.keys(mapping),
  });
  assign(turn, node.id, harvest(mapping, child.run.variables), harvested);
  return true;
}

function lastChild(handoff: Handoff | undefined) {
  if (handoff === undefined) return {};
  const childStatus = handoff.state === 'harvested' ? 'completed' : handoff.state;
  return { ...(handoff.childRunId && { childRunId: handoff.childRunId }), childStatus };
}
