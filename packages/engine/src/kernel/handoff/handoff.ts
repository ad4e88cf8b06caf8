import type { JsonObject, RunError } from '@baton/protocol';
import { recordEnd } from '../ending.ts';
import { assign } from '../execute.ts';
import { carryHome, readyToCarry } from '../memory/carry.ts';
import { catchUp } from '../memory/shared-scope.ts';
import { attestHere } from '../replay/named-checksums.ts';
import { endStatus, type Handoff, isEnded, type WaitForWorkers, workersWait } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';
import { handedOver } from './attestation.ts';
import { tellMissedGoal } from './child-end.ts';
import { type ChildStart, planChild, refuseInputs, startChild } from './children.ts';
import { harvest, isEmpty } from './mapping.ts';
import { enterGate, type GateStep, type HeldOutputs, hearCritic } from './merge-gate.ts';
import { recordTransition } from './transitions.ts';

/**
 * The state machine of a handoff. Each worker of a decision goes through pending → dispatching → running →
 * completed → harvested, or ends failed or cancelled. Workers run one after the other, in the order of the
 * decision, so that a worker sees the outputs of the workers before it. Where the node has a merge gate,
 * outputs pass it first.
 */

/** The rules by which a node gives work to its workers. */
export interface Handing {
  heldFor(workerId: string): HeldOutputs;
  childStart(working: WorkingRun, workerId: string): ChildStart;
  /** Called when every worker has ended. */
  finish(working: WorkingRun, nodeId: string, wait: WaitForWorkers): void;
}

/** True when an event was recorded. */
export function proceedWithWorkers(working: WorkingRun, nodeId: string, handing: Handing): boolean {
  const wait = workersWait(working.run, nodeId);
  if (wait === undefined) return false;
  const { handoff } = wait;
  const held = handing.heldFor(handoff?.workerId ?? '');
  switch (handoff?.state) {
    case 'running':
      return settleWorker(working, nodeId, handoff, held);
    case 'verifying':
      return followGate(working, nodeId, handing, wait, hearCritic(working, nodeId, held));
    case 'completed':
    case 'harvested':
      // Without a merge gate the worker is done. With one, its outputs enter the gate now.
      if (held.gate === undefined) break;
      return followGate(working, nodeId, handing, wait, enterGate(working, nodeId, held));
    case 'dispatching':
    case 'verified':
    case 'approving':
      return false;
    default:
      break;
  }
  const workerId = workersOf(wait)[wait.began];
  if (workerId !== undefined)
    return beginWorker(working, nodeId, wait, workerId, handing.childStart(working, workerId));
  handing.finish(working, nodeId, wait);
  return true;
}

export function workersOf({ decision: { decision } }: WaitForWorkers): readonly string[] {
  return decision.kind === 'next-worker' ? decision.nextWorkerIds : [];
}

function followGate(
  working: WorkingRun,
  nodeId: string,
  handing: Handing,
  wait: WaitForWorkers,
  next: GateStep,
): boolean {
  if (next.kind !== 'revise') return next.kind === 'moved';
  const { handoff } = wait;
  if (handoff === undefined) return false;
  const start = handing.childStart(working, handoff.workerId);
  const more: JsonObject = {
    attempt: handoff.attempt + 1,
    ...(next.feedback !== undefined && { feedback: next.feedback }),
  };
  return beginWorker(working, nodeId, wait, handoff.workerId, {
    ...start,
    inputs: { ...start.inputs, ...more },
  });
}

function beginWorker(
  working: WorkingRun,
  nodeId: string,
  wait: WaitForWorkers,
  workerId: string,
  start: ChildStart,
): boolean {
  const memory = catchUp(working);
  if (memory !== 'current') return memory === 'moved';
  const child = planChild(working, nodeId, workerId);
  if (child.kind === 'unknown') return false;
  const lastId = recordTransition(
    working,
    nodeId,
    { workerId, lastId: wait.decision.eventId },
    'dispatch.began',
  );
  const began = { workerId, lastId };
  if (child.kind === 'refused') return failToDispatch(working, nodeId, began, child.error);
  const misfit = refuseInputs(child.workflow, start);
  if (misfit) return failToDispatch(working, nodeId, began, misfit);
  const childRunId = startChild(working, nodeId, child.workflow, start, lastId);
  if (typeof childRunId !== 'string') return failToDispatch(working, nodeId, began, childRunId);
  emit(working, 'node.dispatched', { childRunId, childWorkflowId: workerId }, nodeId, lastId);
  recordTransition(working, nodeId, began, 'dispatch.succeeded', { childRunId });
  return true;
}

function failToDispatch(
  working: WorkingRun,
  nodeId: string,
  began: Pick<Handoff, 'workerId' | 'lastId'>,
  error: RunError,
): true {
  recordTransition(working, nodeId, began, 'dispatch.failed', { error });
  return true;
}

/** Records the end of the child and its outputs. Without a merge gate, the outputs are merged at once. */
function settleWorker(working: WorkingRun, nodeId: string, handoff: Handoff, held: HeldOutputs): boolean {
  const child = handoff.childRunId === undefined ? undefined : workingChild(working, handoff.childRunId);
  if (child === undefined || !isEnded(child.run)) return false;
  const { gate, isolated } = held;
  const memory = gate === undefined ? readyToCarry(working, child.run, isolated) : 'current';
  if (memory !== 'current') return memory === 'moved';
  const completed = recordEnd(working, nodeId, handoff, child.run);
  if (gate === undefined) carryHome(working, nodeId, child.run, isolated, completed);
  tellMissedGoal(working, nodeId, child.run, completed);
  if (endStatus(child.run) !== 'completed' || isEmpty(held.mapping)) return true;
  const outputs = handedOver(held.mapping, child.run.variables);
  const attested = gate?.attestation?.checksum === true;
  const harvested = recordTransition(working, nodeId, { ...handoff, lastId: completed }, 'output.harvested', {
    childRunId: child.run.runId,
    harvestedKeys: Object.keys(held.mapping),
    ...(attested && { attestation: attestHere(working, outputs) }),
  });
  if (gate === undefined) assign(working, nodeId, harvest(held.mapping, outputs), harvested);
  return true;
}

/** The outputs of a dispatch node about its last worker. */
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

/**
 * The decisions of the merge gate, for the outputs of the node: that for the last worker, and `workers` for
 * all.
 */
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
