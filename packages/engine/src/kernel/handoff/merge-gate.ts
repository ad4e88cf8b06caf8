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
import type { Answer } from '../node-type.ts';
import { ask } from '../people/asking.ts';
import { attestHere } from '../replay/named-checksums.ts';
import { recordedHere } from '../replay/source.ts';
import { goesBy } from '../rules.ts';
import { type Handoff, handoffOf } from '../run.ts';
import { childTurn, emit, type Turn } from '../turn.ts';
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
export interface Crossing {
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
export function enterGate(turn: Turn, nodeId: string, crossing: Crossing): GateStep {
  const handoff = handoffOf(turn.run, nodeId);
  const outputs = handoff && outputsOf(turn, handoff, crossing.mapping);
  if (handoff === undefined || outputs === undefined) return WAITING;
  const memory = catchUp(turn);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const verifier = crossing.gate?.verifier;
  if (verifier === undefined) return approveOrMerge(turn, nodeId, crossing, handoff, outputs);
  switch (startCritic(turn, nodeId, handoff, verifier, outputs)) {
    case 'started':
      return MOVED;
    case 'unknown':
      return WAITING;
    case 'impossible':
      recordVerdict(turn, nodeId, handoff, verifier, { verdict: 'fail' });
      return settle(turn, nodeId, crossing, false, 'verdict-failed');
  }
}

/** A critic is at work: take its verdict when it has one. */
export function hearCritic(turn: Turn, nodeId: string, crossing: Crossing): GateStep {
  const handoff = handoffOf(turn.run, nodeId);
  const verifier = crossing.gate?.verifier;
  if (handoff === undefined || verifier === undefined) return WAITING;
  const given = judgement(turn, handoff);
  if (given === undefined) return WAITING;
  const memory = catchUp(turn);
  if (memory !== 'current') return AFTER_MEMORY[memory];
  const revises =
    given.verdict === 'revise' &&
    handoff.attempt <= (verifier.maxRevisions ?? 1) &&
    (hasTurnLeft(turn.run) || !goesBy(turn.run, 1));
  // The verdict does not hold the feedback, so the next attempt begins in the same step, or both wait.
  if (revises && planChild(turn, nodeId, handoff.workerId).kind === 'unknown') return WAITING;
  recordVerdict(turn, nodeId, handoff, verifier, given);
  const verified = handoffOf(turn.run, nodeId) ?? handoff;
  const outputs = outputsOf(turn, verified, crossing.mapping);
  if (given.verdict === 'pass' && outputs) return approveOrMerge(turn, nodeId, crossing, verified, outputs);
  if (revises) return { kind: 'revise', feedback: given.feedback };
  return settle(turn, nodeId, crossing, false, 'verdict-failed');
}

function approveOrMerge(
  turn: Turn,
  nodeId: string,
  crossing: Crossing,
  handoff: Handoff,
  outputs: JsonObject,
): GateStep {
  const rules = crossing.gate?.attestation;
  // A critic that is itself unsure decides nothing; a person does.
  const isUnsure = isCriticUnsure(turn, handoff);
  if (rules?.requireApproval === true || isUnsure) {
    askForApproval(turn, nodeId, handoff, outputs, rules ?? {}, isUnsure);
    return MOVED;
  }
  const cause = handoff.verdict?.eventId ?? handoff.lastId;
  merge(turn, nodeId, crossing, handoff, outputs, cause);
  return settle(turn, nodeId, crossing, true, handoff.verdict ? 'verdict-passed' : 'no-objection');
}

const UNSURE = 'The critic passed it, but was not sure enough. ';

/** A replay goes by what its source asked, whatever floor the operator has set since. */
function isCriticUnsure(turn: Turn, { verdict }: Handoff): boolean {
  if (verdict?.confidence === undefined) return false;
  const recorded = recordedHere(turn);
  if (recorded === undefined || recorded === 'unknown')
    return verdict.confidence < turn.tree.world.confidenceFloor;
  const { event } = recorded;
  if (event.type !== 'interrupt.requested' || event.payload.kind !== 'approval') return false;
  return event.payload.data.description?.startsWith(UNSURE) === true;
}

/** One question for each child, with what it brought and its digest. */
function askForApproval(
  turn: Turn,
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
    turn,
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
        attestation: attestHere(turn, outputs),
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
export function checkEdit(turn: Turn, nodeId: string, crossing: Crossing, value: JsonObject): void {
  if (value.action !== 'edit-accept') return;
  const field = 'editedArtifactData';
  const handoff = handoffOf(turn.run, nodeId);
  const child = handoff && childOf(turn, handoff);
  const edited = value.editedArtifactData;
  if (!isJsonObject(edited) || child === undefined) {
    throw new BatonError('validation_error', `resumeValue: ${field} must be an object`, { field });
  }
  const names = isEmpty(crossing.mapping)
    ? Object.keys(child.run.variables)
    : Object.values(crossing.mapping);
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
export function takeAnswer(turn: Turn, nodeId: string, crossing: Crossing, answer: Answer): void {
  const handoff = handoffOf(turn.run, nodeId);
  const outputs = handoff && outputsOf(turn, handoff, crossing.mapping);
  if (answer.outcome === 'timeout') settle(turn, nodeId, crossing, false, 'expired');
  else if (answer.outcome === 'rejected' || handoff === undefined || outputs === undefined)
    settle(turn, nodeId, crossing, false, 'rejected');
  else if (answer.value.action === 'edit-accept' && isJsonObject(answer.value.editedArtifactData)) {
    const edited = answer.value.editedArtifactData;
    merge(turn, nodeId, crossing, handoff, edited, answer.resolvedId);
    settle(turn, nodeId, crossing, true, 'edited', attestHere(turn, edited).checksum);
  } else if (answer.value.action === 'accept') {
    merge(turn, nodeId, crossing, handoff, outputs, answer.resolvedId);
    settle(turn, nodeId, crossing, true, 'approved');
  } else settle(turn, nodeId, crossing, false, 'rejected');
  turn.tree.agenda.push(turn.run.runId);
}

/** The outputs as they were let in, and with them what the child remembered. */
function merge(
  turn: Turn,
  nodeId: string,
  { mapping, isolated }: Crossing,
  handoff: Handoff,
  outputs: JsonObject,
  cause: string,
): void {
  assign(turn, nodeId, harvest(mapping, outputs), cause);
  const child = childOf(turn, handoff);
  if (child === undefined) return;
  // An answer cannot wait for a look-up, so the driver looks before it hands one in.
  readyToCarry(turn, child.run, isolated);
  carryHome(turn, nodeId, child.run, isolated, cause);
}

function settle(
  turn: Turn,
  nodeId: string,
  crossing: Crossing,
  merged: boolean,
  why: MergeReason,
  editedChecksum?: string,
): GateStep {
  const handoff = handoffOf(turn.run, nodeId);
  if (handoff?.childRunId === undefined) return WAITING;
  const { workerId, childRunId, verdict } = handoff;
  const attestation = handoff.attestation ?? lateAttestation(turn, handoff, crossing);
  const payload = {
    workerId,
    childRunId,
    merged,
    why,
    ...(attestation && { attestation }),
    ...(editedChecksum && { editedChecksum }),
    ...(verdict && { verdict: verdict.given }),
  };
  emit(turn, 'baton.merge.settled', payload, nodeId, verdict?.eventId ?? handoff.lastId);
  return MOVED;
}

/** With nothing to harvest there was no event to carry the digest, so it stands here and on the completion. */
function lateAttestation(turn: Turn, handoff: Handoff, crossing: Crossing) {
  if (crossing.gate?.attestation?.checksum !== true) return undefined;
  const outputs = outputsOf(turn, handoff, crossing.mapping);
  return outputs && attestHere(turn, outputs);
}

function outputsOf(turn: Turn, handoff: Handoff, mapping: Mapping): JsonObject | undefined {
  const child = childOf(turn, handoff);
  return child && handedOver(mapping, child.run.variables);
}

function childOf(turn: Turn, { childRunId }: Handoff): Turn | undefined {
  return childRunId === undefined ? undefined : childTurn(turn, childRunId);
}

/** Why a gated child counts as failed, for nodes that fail with their child. */
export function refusalCode(why: MergeReason): RunErrorCode {
  if (why === 'verdict-failed') return 'verdict_failed';
  return why === 'expired' ? 'interrupt_timeout' : 'approval_rejected';
}
