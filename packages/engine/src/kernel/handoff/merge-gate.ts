import {
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
import { goesBy } from '../rules.ts';
import { type Handoff, handoffOf } from '../run.ts';
import { emit, type WorkingRun, workingChild } from '../working-run.ts';
import { handedOver } from './attestation.ts';
import { planChild } from './children.ts';
import { judgement, recordVerdict, startCritic } from './critic.ts';
import type { Gate, OutputAttestation } from './gate.ts';
import { harvest, isEmpty, type Mapping } from './mapping.ts';

/**
 * The one way from the outputs of a child that passes a gate into its parent. It fails closed: whatever does not end
 * in `merge` has left the parent as it was. Outputs of a child without a gate are written by the node that sent it.
 */

/** How a handoff passes its gate: who is asked, and which names cross. */
export interface HeldOutputs {
  readonly gate: Gate | undefined;
  readonly mapping: Mapping;
  /** Nothing that the child remembered crosses. */
  readonly isolated: boolean;
}

/** What the node should do next about this worker. */
export type GateStep =
  | { readonly kind: 'moved' }
  | { readonly kind: 'waiting' }
  /** The worker gets another attempt, with what the critic said. */
  | { readonly kind: 'revise'; readonly feedback: string | undefined };

const MOVED: GateStep = { kind: 'moved' };
const WAITING: GateStep = { kind: 'waiting' };
/** Memory that others wrote meanwhile is taken note of first. */
const AFTER_MEMORY: Record<Exclude<CaughtUp, 'current'>, GateStep> = { moved: MOVED, unknown: WAITING };

/** The child has completed and its outputs were recorded as handed over. */
export function enterGate(working: WorkingRun, nodeId: string, held: HeldOutputs): GateStep {
  const handoff = handoffOf(working.run, nodeId);
  const outputs = handoff && outputsOf(working, handoff, held.mapping);
  if (handoff === undefined || outputs === undefined) return WAITING;
  const memory = catchUp(working);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const verifier = held.gate?.verifier;
  if (verifier === undefined) return approveOrMerge(working, nodeId, held, handoff, outputs);
  switch (startCritic(working, nodeId, handoff, verifier, outputs)) {
    case 'started':
      return MOVED;
    case 'unknown':
      return WAITING;
    case 'impossible':
      recordVerdict(working, nodeId, handoff, verifier, { verdict: 'fail' });
      return settle(working, nodeId, held, false, 'verdict-failed');
  }
}

/** A critic is at work: take its verdict when it has one. */
export function hearCritic(working: WorkingRun, nodeId: string, held: HeldOutputs): GateStep {
  const handoff = handoffOf(working.run, nodeId);
  const verifier = held.gate?.verifier;
  if (handoff === undefined || verifier === undefined) return WAITING;
  const given = judgement(working, handoff);
  if (given === undefined) return WAITING;
  const memory = catchUp(working);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const revises =
    given.verdict === 'revise' &&
    handoff.attempt <= (verifier.maxRevisions ?? 1) &&
    (hasTurnLeft(working.run) || !goesBy(working.run, 1));
  // The verdict does not hold the feedback, so the next attempt begins in the same step, or both wait.
  if (revises && planChild(working, nodeId, handoff.workerId).kind === 'unknown') return WAITING;
  recordVerdict(working, nodeId, handoff, verifier, given);
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
  // A critic that is itself unsure decides nothing; a person does.
  const isUnsure = isCriticUnsure(working, handoff);
  if (rules?.requireApproval === true || isUnsure) {
    askForApproval(working, nodeId, handoff, outputs, rules ?? {}, isUnsure);
    return MOVED;
  }
  const cause = handoff.verdict?.eventId ?? handoff.lastId;
  merge(working, nodeId, held, handoff, outputs, cause);
  return settle(working, nodeId, held, true, handoff.verdict ? 'verdict-passed' : 'no-objection');
}

const UNSURE = 'The critic passed it, but was not sure enough. ';

/** A replay goes by what its source asked, whatever floor the operator has set since. */
function isCriticUnsure(working: WorkingRun, { verdict }: Handoff): boolean {
  if (verdict?.confidence === undefined) return false;
  const recorded = recordedHere(working);
  if (recorded === undefined || recorded === 'unknown')
    return verdict.confidence < working.tree.world.confidenceFloor;
  const { event } = recorded;
  if (event.type !== 'interrupt.requested' || event.payload.kind !== 'approval') return false;
  return event.payload.data.description?.startsWith(UNSURE) === true;
}

/** One question for each child, with what it brought and its digest. */
function askForApproval(
  working: WorkingRun,
  nodeId: string,
  handoff: Handoff,
  outputs: JsonObject,
  rules: OutputAttestation,
  isUnsure: boolean,
): void {
  const { workerId, childRunId } = handoff;
  const reason = isUnsure ? UNSURE : '';
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
        votersByPrincipal: true,
        // Several approvers must all mean the same thing, so none of them may change it.
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

/** Refuses an edit that the child itself could not have handed over. */
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
    const problem = `resumeValue: ${field}.${stranger} is not among what the child hands over (${names.join(', ')})`;
    throw new BatonError('validation_error', problem, { field: `${field}.${stranger}` });
  }
  const { variables = [], ...definition } = child.plan.definition;
  const optional = variables.map(({ required: _required, ...variable }) => variable);
  const misfit = problemWithInputs({ ...definition, variables: optional }, edited);
  if (misfit === undefined) return;
  const at = misfit.field.replace('inputs', field);
  throw new BatonError('validation_error', `resumeValue: ${at} ${misfit.problem}`, { field: at });
}

/** A person has answered, or the question has lapsed. Only accept and edit-accept let anything through. */
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

/** The outputs as they were let in, and with them what the child remembered. */
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
  // An answer cannot wait for a look-up, so the driver looks before it hands one in.
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

/** With nothing to harvest there was no event to carry the digest, so it stands here and on the completion. */
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

/** Why a gated child counts as failed, for nodes that fail with their child. */
export function refusalCode(why: MergeReason): RunErrorCode {
  if (why === 'verdict-failed') return 'verdict_failed';
  return why === 'expired' ? 'interrupt_timeout' : 'approval_rejected';
}
