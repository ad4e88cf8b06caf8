import type { JsonObject, RunError } from '@baton/protocol';
import { recordEnd } from '../ending.ts';
import { assign } from '../execute.ts';
import { carryHome, readyToCarry } from '../memory/carry.ts';
import { catchUp } from '../memory/shared-scope.ts';
import { attestHere } from '../replay/named-checksums.ts';
import { endStatus, type Handoff, isEnded, type WaitForWorkers, workersWait } from '../run.ts';
import { childTurn, emit, type Turn } from '../turn.ts';
import { handedOver } from './attestation.ts';
import { chain } from './chain.ts';
import { tellMissedGoal } from './child-end.ts';
import { type ChildGift, planChild, refuseInputs, startChild } from './children.ts';
import { harvest, isEmpty } from './mapping.ts';
import { type Crossing, enterGate, type GateStep, hearCritic } from './merge-gate.ts';

/**
 * The handoff machine: each worker of a decision goes pending → dispatching → running → completed →
 * harvested, or ends failed or cancelled. One worker at a time, in the order of the decision; what one
 * worker brought home is there for the next. Where there is a gate, outputs pass it before they are home.
 */

/** How a node hands work to its workers. */
export interface Handing {
  crossing(workerId: string): Crossing;
  gift(turn: Turn, workerId: string): ChildGift;
  /** Every worker has settled. */
  finish(turn: Turn, nodeId: string, wait: WaitForWorkers): void;
}

/** True when something happened. */
export function proceedWithWorkers(turn: Turn, nodeId: string, handing: Handing): boolean {
  const wait = workersWait(turn.run, nodeId);
  if (wait === undefined) return false;
  const { handoff } = wait;
  const crossing = handing.crossing(handoff?.workerId ?? '');
  switch (handoff?.state) {
    case 'running':
      return settleWorker(turn, nodeId, handoff, crossing);
    case 'verifying':
      return followGate(turn, nodeId, handing, wait, hearCritic(turn, nodeId, crossing));
    case 'completed':
    case 'harvested':
      // Without a gate the worker is done; with one, its outputs are only at the door.
      if (crossing.gate === undefined) break;
      return followGate(turn, nodeId, handing, wait, enterGate(turn, nodeId, crossing));
    case 'dispatching':
    case 'verified':
    case 'approving':
      return false;
    default:
      break;
  }
  const workerId = workersOf(wait)[wait.began];
  if (workerId !== undefined) return beginWorker(turn, nodeId, wait, workerId, handing.gift(turn, workerId));
  handing.finish(turn, nodeId, wait);
  return true;
}

export function workersOf({ decision: { decision } }: WaitForWorkers): readonly string[] {
  return decision.kind === 'next-worker' ? decision.nextWorkerIds : [];
}

function followGate(
  turn: Turn,
  nodeId: string,
  handing: Handing,
  wait: WaitForWorkers,
  next: GateStep,
): boolean {
  if (next.kind !== 'revise') return next.kind === 'moved';
  const { handoff } = wait;
  if (handoff === undefined) return false;
  const gift = handing.gift(turn, handoff.workerId);
  const more: JsonObject = {
    attempt: handoff.attempt + 1,
    ...(next.feedback !== undefined && { feedback: next.feedback }),
  };
  return beginWorker(turn, nodeId, wait, handoff.workerId, { ...gift, inputs: { ...gift.inputs, ...more } });
}

function beginWorker(
  turn: Turn,
  nodeId: string,
  wait: WaitForWorkers,
  workerId: string,
  gift: ChildGift,
): boolean {
  const memory = catchUp(turn);
  if (memory !== 'current') return memory === 'moved';
  const child = planChild(turn, nodeId, workerId);
  if (child.kind === 'unknown') return false;
  const lastId = chain(turn, nodeId, { workerId, lastId: wait.decision.eventId }, 'dispatch.began');
  const began = { workerId, lastId };
  if (child.kind === 'refused') return failToDispatch(turn, nodeId, began, child.error);
  const misfit = refuseInputs(child.workflow, gift);
  if (misfit) return failToDispatch(turn, nodeId, began, misfit);
  const childRunId = startChild(turn, nodeId, child.workflow, gift, lastId);
  if (typeof childRunId !== 'string') return failToDispatch(turn, nodeId, began, childRunId);
  emit(turn, 'node.dispatched', { childRunId, childWorkflowId: workerId }, nodeId, lastId);
  chain(turn, nodeId, began, 'dispatch.succeeded', { childRunId });
  return true;
}

function failToDispatch(
  turn: Turn,
  nodeId: string,
  began: Pick<Handoff, 'workerId' | 'lastId'>,
  error: RunError,
): true {
  chain(turn, nodeId, began, 'dispatch.failed', { error });
  return true;
}

/** The child has ended: record how, and what it hands over. Without a gate that is merged at once. */
function settleWorker(turn: Turn, nodeId: string, handoff: Handoff, crossing: Crossing): boolean {
  const child = handoff.childRunId === undefined ? undefined : childTurn(turn, handoff.childRunId);
  if (child === undefined || !isEnded(child.run)) return false;
  const { gate, isolated } = crossing;
  const memory = gate === undefined ? readyToCarry(turn, child.run, isolated) : 'current';
  if (memory !== 'current') return memory === 'moved';
  const completed = recordEnd(turn, nodeId, handoff, child.run);
  if (gate === undefined) carryHome(turn, nodeId, child.run, isolated, completed);
  tellMissedGoal(turn, nodeId, child.run, completed);
  if (endStatus(child.run) !== 'completed' || isEmpty(crossing.mapping)) return true;
  const outputs = handedOver(crossing.mapping, child.run.variables);
  const attested = gate?.attestation?.checksum === true;
  const harvested = chain(turn, nodeId, { ...handoff, lastId: completed }, 'output.harvested', {
    childRunId: child.run.runId,
    harvestedKeys: Object.keys(crossing.mapping),
    ...(attested && { attestation: attestHere(turn, outputs) }),
  });
  if (gate === undefined) assign(turn, nodeId, harvest(crossing.mapping, outputs), harvested);
  return true;
}

/** What a dispatch node says about the last worker. */
export function lastChild({ handoff }: WaitForWorkers): JsonObject {
  if (handoff === undefined) return {};
  const childStatus = CHILD_STATUS[handoff.state];
  return { ...(handoff.childRunId && { childRunId: handoff.childRunId }), childStatus };
}

const CHILD_STATUS: Record<Handoff['state'], string> = {
  dispatching: 'running',
  running: 'running',
  completed: 'completed',
  harvested: 'completed',
  verifying: 'completed',
  verified: 'completed',
  approving: 'completed',
  merged: 'completed',
  refused: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** What the gate decided, for the outputs of the node: the last worker's on top, all of them below. */
export function gateOutputs({ settled = [] }: Pick<WaitForWorkers, 'settled'>): JsonObject {
  const views = settled.map(({ attestation, editedChecksum, ...rest }) => ({
    ...rest,
    ...(attestation && { attestation: { ...attestation, ...(editedChecksum && { editedChecksum }) } }),
  }));
  const last = views.at(-1);
  if (last === undefined) return {};
  return {
    merged: last.merged,
    ...(last.attestation && { attestation: last.attestation }),
    workers: views,
  };
}
