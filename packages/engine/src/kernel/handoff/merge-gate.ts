import {
  type ApprovalData,
  BatonError,
  isJsonObject,
  type JsonObject,
  type MergeReason,
  type RunErrorCode,
} from '@baton/protocol';
import { problemWithInputs } from '../create.ts';
import { assign } from '../execute.ts';
import { hasTurnLeft } from '../limits.ts';
import { carryHome, readyToCarry } from '../memory/carry.ts';
import { type CaughtUp, catchUp } from '../memory/shared-scope.ts';
import type { Answer } from '../model.ts';
import { ask } from '../people/asking.ts';
import { attestHere } from '../replay/named-checksums.ts';
import { recordedHere } from '../replay/source.ts';
import { type Handoff, handoffOf } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';
import { actorId } from './actor-id.ts';
import { handedOver } from './attestation.ts';
import { planChild } from './children.ts';
import { type JudgedWork, judgement, NOT_STARTED, recordVerdict, startCritic } from './critic.ts';
import type { Gate, OutputAttestation } from './gate.ts';
import { harvest, isEmpty, type Mapping } from './mapping.ts';

/**
 * Merges the outputs of a child with a merge gate into its parent. It fails closed: the variables of the
 * parent change only in `merge`. Where there is no gate, the node that started the child writes the outputs.
 */

/** The rules for outputs at the merge gate. */
export interface HeldOutputs {
  readonly gate: Gate | undefined;
  readonly mapping: Mapping;
  /** The memory of the child is not copied to its parent. */
  readonly isolated: boolean;
}

/** The result of one step at the gate. */
export type GateStep =
  | { readonly kind: 'moved' }
  | { readonly kind: 'waiting' }
  /** The worker gets another attempt, with the feedback of the critic. */
  | { readonly kind: 'revise'; readonly feedback: string | undefined };

const MOVED: GateStep = { kind: 'moved' };
const WAITING: GateStep = { kind: 'waiting' };
/** The result when the run must first catch up with a shared memory scope. */
const AFTER_MEMORY: Record<Exclude<CaughtUp, 'current'>, GateStep> = { moved: MOVED, unknown: WAITING };

/** The first step at the gate, after the child has completed and `output.harvested` was recorded. */
export function enterGate(working: WorkingRun, nodeId: string, held: HeldOutputs): GateStep {
  const handoff = handoffOf(working.run, nodeId);
  const outputs = handoff && outputsOf(working, handoff, held.mapping);
  if (handoff === undefined || outputs === undefined) return WAITING;
  const memory = catchUp(working);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const verifier = held.gate?.verifier;
  if (verifier === undefined) return approveOrMerge(working, nodeId, held, handoff, outputs);
  const work = judgedWork(handoff);
  const worker = childOf(working, handoff);
  const { childRunId } = handoff;
  const exhibit = {
    outputs,
    ...(worker && { actorId: actorId(worker.run) }),
    ...(childRunId !== undefined && { childRunId }),
  };
  switch (startCritic(working, nodeId, work, verifier, exhibit)) {
    case 'started':
      return MOVED;
    case 'unknown':
      return WAITING;
    case 'impossible':
      recordVerdict(working, nodeId, work, verifier, NOT_STARTED);
      return settle(working, nodeId, held, false, 'verdict-failed');
  }
}

function judgedWork({ childRunId, workerId, attempt, lastId, critic }: Handoff): JudgedWork {
  return { target: childRunId ?? workerId, workerId, attempt, cause: lastId, ...(critic && { critic }) };
}

/** Waits for the critic and acts on its verdict. */
export function hearCritic(working: WorkingRun, nodeId: string, held: HeldOutputs): GateStep {
  const handoff = handoffOf(working.run, nodeId);
  const verifier = held.gate?.verifier;
  if (handoff === undefined || verifier === undefined) return WAITING;
  const given = judgement(working, handoff.critic);
  if (given === undefined) return WAITING;
  const memory = catchUp(working);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const revises =
    given.verdict === 'revise' && handoff.attempt <= (verifier.maxRevisions ?? 1) && hasTurnLeft(working.run);
  // The verdict event does not contain the feedback. So the verdict is recorded only in the step that also
  // starts the next attempt.
  if (revises && planChild(working, nodeId, handoff.workerId).kind === 'unknown') return WAITING;
  recordVerdict(working, nodeId, judgedWork(handoff), verifier, given);
  const verified = handoffOf(working.run, nodeId) ?? handoff;
  const outputs = outputsOf(working, verified, held.mapping);
  if (given.verdict === 'pass' && outputs) return approveOrMerge(working, nodeId, held, verified, outputs);
  if (revises) return { kind: 'revise', feedback: given.feedback };
  return settle(working, nodeId, held, false, 'verdict-failed');
}

function approveOrMerge(
  working: WorkingRun,
  nodeId: string,
  held: HeldOutputs,
  handoff: Handoff,
  outputs: JsonObject,
): GateStep {
  const rules = held.gate?.attestation;
  // When the critic passed the outputs with a confidence below the floor, a person decides.
  const belowFloor = doubtOf(working, handoff);
  if (rules?.requireApproval === true || belowFloor !== undefined) {
    askForApproval(working, nodeId, handoff, outputs, rules ?? {}, belowFloor);
    return MOVED;
  }
  const cause = handoff.verdict?.eventId ?? handoff.lastId;
  merge(working, nodeId, held, handoff, outputs, cause);
  return settle(working, nodeId, held, true, handoff.verdict ? 'verdict-passed' : 'no-objection');
}

type BelowFloor = ApprovalData['belowFloor'];

/** A replay asks a person where its source did, even if the operator has changed the floor since. */
function doubtOf(working: WorkingRun, { verdict }: Handoff): BelowFloor {
  const confidence = verdict?.confidence;
  if (confidence === undefined) return undefined;
  const recorded = recordedHere(working);
  if (recorded === undefined || recorded === 'unknown') {
    const floor = working.tree.world.confidenceFloor;
    return confidence < floor ? { confidence, floor } : undefined;
  }
  const { event } = recorded;
  if (event.type !== 'interrupt.requested' || event.payload.kind !== 'approval') return undefined;
  return event.payload.data.belowFloor;
}

/** Asks one question for each child. The question shows the outputs and their digest. */
function askForApproval(
  working: WorkingRun,
  nodeId: string,
  handoff: Handoff,
  outputs: JsonObject,
  rules: OutputAttestation,
  belowFloor: BelowFloor,
): void {
  const { workerId, childRunId } = handoff;
  const reason = belowFloor ? 'The critic passed it, but was not sure enough. ' : '';
  const { approversList, requiredApprovals, rejectionPolicy, separationOfDuties, timeoutMs } = rules;
  const ordinal = childRunId?.split('.').at(-1) ?? '';
  ask(
    working,
    nodeId,
    (key) => ({
      kind: 'approval',
      key,
      data: {
        artifactId: key,
        artifactType: 'sub-run-outputs',
        title: `Take over what "${workerId}" brought?`,
        description: `${reason}Nothing of it is in the parent run until this is accepted.`,
        artifactData: outputs,
        attestation: attestHere(working, outputs),
        ...(belowFloor && { belowFloor }),
        votersByPrincipal: true,
        // Several approvers must all approve the same values, so none of them may edit the values.
        actions:
          (requiredApprovals ?? 1) > 1
            ? ['accept', 'reject', 'ask']
            : ['accept', 'edit-accept', 'reject', 'ask'],
        ...(approversList && { approversList: [...approversList] }),
        ...(requiredApprovals && { requiredApprovals }),
        ...(rejectionPolicy && { rejectionPolicy }),
        ...(separationOfDuties && { separationOfDuties }),
      },
      ...(timeoutMs && { timeoutMs }),
    }),
    ordinal,
  );
}

/**
 * Refuses edited outputs that the child itself could not have produced: other names, or values of a wrong
 * type.
 */
export function checkEdit(working: WorkingRun, nodeId: string, held: HeldOutputs, value: JsonObject): void {
  if (value.action !== 'edit-accept') return;
  const field = 'editedArtifactData';
  const handoff = handoffOf(working.run, nodeId);
  const child = handoff && childOf(working, handoff);
  const edited = value.editedArtifactData;
  if (!isJsonObject(edited) || child === undefined) {
    throw new BatonError('validation_error', `resumeValue: ${field} must be an object`, { field });
  }
  const names = isEmpty(held.mapping) ? Object.keys(child.run.variables) : Object.values(held.mapping);
  const stranger = Object.keys(edited).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const problem = `resumeValue: ${field}.${stranger} is not an output of the child (its outputs are: ${names.join(', ')})`;
    throw new BatonError('validation_error', problem, { field: `${field}.${stranger}` });
  }
  const { variables = [], ...definition } = child.plan.definition;
  const optional = variables.map(({ required: _required, ...variable }) => variable);
  const misfit = problemWithInputs({ ...definition, variables: optional }, edited);
  if (misfit === undefined) return;
  const at = misfit.field.replace('inputs', field);
  throw new BatonError('validation_error', `resumeValue: ${at} ${misfit.problem}`, { field: at });
}

/**
 * A person has answered, or the question has timed out. Only `accept` and `edit-accept` merge the outputs.
 */
export function takeAnswer(working: WorkingRun, nodeId: string, held: HeldOutputs, answer: Answer): void {
  const handoff = handoffOf(working.run, nodeId);
  const outputs = handoff && outputsOf(working, handoff, held.mapping);
  if (answer.outcome === 'timeout') settle(working, nodeId, held, false, 'expired');
  else if (answer.outcome === 'rejected' || handoff === undefined || outputs === undefined)
    settle(working, nodeId, held, false, 'rejected');
  else if (answer.value.action === 'edit-accept' && isJsonObject(answer.value.editedArtifactData)) {
    const edited = answer.value.editedArtifactData;
    merge(working, nodeId, held, handoff, edited, answer.resolvedId);
    settle(working, nodeId, held, true, 'edited', attestHere(working, edited).checksum);
  } else if (answer.value.action === 'accept') {
    merge(working, nodeId, held, handoff, outputs, answer.resolvedId);
    settle(working, nodeId, held, true, 'approved');
  } else settle(working, nodeId, held, false, 'rejected');
  working.tree.agenda.push(working.run.runId);
}

/** Writes the accepted outputs to the parent's variables, and copies the memory of the child. */
function merge(
  working: WorkingRun,
  nodeId: string,
  { mapping, isolated }: HeldOutputs,
  handoff: Handoff,
  outputs: JsonObject,
  cause: string,
): void {
  assign(working, nodeId, harvest(mapping, outputs), cause);
  const child = childOf(working, handoff);
  if (child === undefined) return;
  // An answer is applied at once, so the driver has looked up the version of the memory scope before.
  readyToCarry(working, child.run, isolated);
  carryHome(working, nodeId, child.run, isolated, cause);
}

function settle(
  working: WorkingRun,
  nodeId: string,
  held: HeldOutputs,
  merged: boolean,
  why: MergeReason,
  editedChecksum?: string,
): GateStep {
  const handoff = handoffOf(working.run, nodeId);
  if (handoff?.childRunId === undefined) return WAITING;
  const { workerId, childRunId, verdict } = handoff;
  const attestation = handoff.attestation ?? lateAttestation(working, handoff, held);
  const payload = {
    workerId,
    childRunId,
    merged,
    why,
    ...(attestation && { attestation }),
    ...(editedChecksum && { editedChecksum }),
    ...(verdict && { verdict: verdict.given }),
  };
  emit(working, 'baton.merge.settled', payload, nodeId, verdict?.eventId ?? handoff.lastId);
  return MOVED;
}

/** Without a mapping there is no `output.harvested` event with the digest, so it is recorded here. */
function lateAttestation(working: WorkingRun, handoff: Handoff, held: HeldOutputs) {
  if (held.gate?.attestation?.checksum !== true) return undefined;
  const outputs = outputsOf(working, handoff, held.mapping);
  return outputs && attestHere(working, outputs);
}

function outputsOf(working: WorkingRun, handoff: Handoff, mapping: Mapping): JsonObject | undefined {
  const child = childOf(working, handoff);
  return child && handedOver(mapping, child.run.variables);
}

function childOf(working: WorkingRun, { childRunId }: Handoff): WorkingRun | undefined {
  return childRunId === undefined ? undefined : workingChild(working, childRunId);
}

/** The error code of a node that fails because the outputs of its child were not merged. */
export function refusalCode(why: MergeReason): RunErrorCode {
  if (why === 'verdict-failed') return 'verdict_failed';
  return why === 'expired' ? 'interrupt_timeout' : 'approval_rejected';
}
