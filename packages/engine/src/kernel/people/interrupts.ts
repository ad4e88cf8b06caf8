import {
  type ApprovalData,
  BatonError,
  isJsonObject,
  type Json,
  type JsonObject,
  type PayloadOf,
  runError,
} from '@baton/protocol';
import { conclude, viewOf } from '../execute.ts';
import { isEnded, type OpenInterrupt } from '../run.ts';
import { recordable, unhideEdit } from '../secrecy/answers.ts';
import { emit, type Turn } from '../turn.ts';
import { checkAnswer, retell, type Verdict } from './answers.ts';
import type { Ballot } from './ballot.ts';
import { startersOf } from './starters.ts';

/** Questions to people and other systems: how they are answered once, and how they expire. */

type Given =
  | { readonly outcome: 'answered' | 'rejected'; readonly value: JsonObject }
  | { readonly outcome: 'timeout' };

export interface Resolution {
  readonly target: { readonly nodeId: string } | { readonly interruptId: string };
  readonly value: Json;
  readonly principal: string;
  readonly viaToken: boolean;
  readonly scopes: readonly string[];
}

/** Applies an answer, or throws a refusal that changes nothing. */
export function resolveInterrupt(turn: Turn, resolution: Resolution): void {
  const open = findOpen(turn, resolution);
  const { request } = open;
  const { principal, viaToken } = resolution;
  if (viaToken && request.kind === 'approval' && needsIdentity(request.data)) {
    throw new BatonError('forbidden', 'This approval needs an API key; a signed token is not enough.');
  }
  if (!isJsonObject(resolution.value)) {
    throw new BatonError('validation_error', 'resumeValue must be an object', { field: 'resumeValue' });
  }
  const scopes = viaToken ? [] : resolution.scopes;
  const given = unhideEdit(open, resolution.value);
  const verdict = checkAnswer(open, given, { principal, scopes }, startersOf(turn));
  turn.plan.nodes.get(open.nodeId)?.type.checkAnswer?.(turn, open.nodeId, given);
  const value = recordable(turn, open, given);
  record(turn, open, value, principal, value === given ? verdict : retell(verdict, value));
}

const AUTH_REQUIRED = 'openwop-interrupt-auth-required';

/** A link does not show who uses it, so it cannot prove that the approver is another person. */
function needsIdentity({ profile, separationOfDuties }: ApprovalData): boolean {
  return profile === AUTH_REQUIRED || separationOfDuties === true;
}

function findOpen(turn: Turn, { target }: Resolution): OpenInterrupt {
  const { run, plan } = turn;
  const open =
    'interruptId' in target
      ? run.interrupts[target.interruptId]
      : Object.values(run.interrupts).find((one) => one.nodeId === target.nodeId);
  if (open?.expiresAt !== undefined && open.expiresAt <= turn.tree.world.now) {
    throw new BatonError('interrupt_gone', 'Nobody answered in time; the question has lapsed.');
  }
  if (open !== undefined) return open;
  const nodeId = 'nodeId' in target ? target.nodeId : target.interruptId.split(':', 1)[0];
  const node = nodeId === undefined ? undefined : plan.nodes.get(nodeId);
  if (nodeId === undefined || node === undefined) {
    throw new BatonError('not_found', `This run has no node "${nodeId}".`);
  }
  if (node.type.answered === undefined) {
    throw new BatonError('not_found', `Node "${nodeId}" is of a type that asks nothing.`);
  }
  if (isEnded(run)) throw new BatonError('interrupt_gone', 'The run has ended, and its questions with it.');
  if (run.nodes[nodeId] === undefined) {
    throw new BatonError('not_found', `Node "${nodeId}" has not asked anything yet.`);
  }
  throw new BatonError('interrupt_resolved');
}

function record(turn: Turn, open: OpenInterrupt, value: JsonObject, by: string, verdict: Verdict): void {
  const { nodeId, key, requestId } = open;
  let cause = requestId;
  if (verdict.kind === 'asked') {
    const questions = [{ id: `${key}?`, question: verdict.question }];
    emit(
      turn,
      'clarification.requested',
      { nodeId, interruptId: key, questions, askedBy: by },
      nodeId,
      cause,
    );
    return;
  }
  if (verdict.approval) {
    cause = emit(
      turn,
      'approval.received',
      { nodeId, interruptId: key, decidedBy: by, ...verdict.approval },
      nodeId,
      cause,
    );
    if (verdict.ballot) recordBallot(turn, open, verdict.ballot, by, cause);
  }
  if (verdict.kind === 'vote') return;
  if (verdict.answers) {
    const payload = { nodeId, interruptId: key, answers: verdict.answers, answeredBy: by };
    cause = emit(turn, 'clarification.resolved', payload, nodeId, cause);
  }
  close(turn, open, { outcome: verdict.kind, value }, cause, by);
}

/** Records the vote for audits, with the authenticated principal, whatever name the voter gave. */
function recordBallot(turn: Turn, open: OpenInterrupt, ballot: Ballot, principal: string, cause: string) {
  const { nodeId, key: gateId } = open;
  switch (ballot.kind) {
    case 'granted': {
      const { granted, required } = ballot;
      const payload = { gateId, principal, quorumProgress: { granted, required } };
      return emit(turn, 'approval.granted', payload, nodeId, cause);
    }
    case 'rejected': {
      const { reason } = ballot;
      const payload = { gateId, principal, ...(reason !== undefined && { reason }) };
      return emit(turn, 'approval.rejected', payload, nodeId, cause);
    }
    case 'overridden':
      return emit(turn, 'approval.overridden', { gateId, principal, reason: ballot.reason }, nodeId, cause);
  }
}

/** Closes a question that was not answered in time. */
export function expireInterrupt(turn: Turn, open: OpenInterrupt): void {
  const { nodeId, key } = open;
  let cause = open.requestId;
  if (open.request.kind === 'approval') {
    cause = emit(turn, 'approval.received', { nodeId, interruptId: key, action: 'timeout' }, nodeId, cause);
  }
  close(turn, open, { outcome: 'timeout' }, cause);
}

function close(turn: Turn, open: OpenInterrupt, answer: Given, cause: string, by?: string): void {
  const payload = {
    nodeId: open.nodeId,
    interruptId: open.key,
    kind: open.request.kind,
    outcome: answer.outcome,
    ...(answer.outcome !== 'timeout' && { resumeValue: answer.value }),
    ...(by && { resolvedBy: by }),
  };
  settle(turn, open, payload, answer, cause);
}

/** Repeats the recorded answer of the source. It was checked then; its consequences are computed again. */
export function closeAsRecorded(
  turn: Turn,
  open: OpenInterrupt,
  payload: PayloadOf<'interrupt.resolved'>,
  cause: string,
): void {
  const { outcome, resumeValue } = payload;
  const value = isJsonObject(resumeValue) ? resumeValue : {};
  settle(turn, open, payload, { outcome: outcome === 'rejected' ? 'rejected' : 'answered', value }, cause);
  turn.tree.agenda.push(turn.run.runId);
}

function settle(
  turn: Turn,
  open: OpenInterrupt,
  payload: PayloadOf<'interrupt.resolved'>,
  answer: Given,
  cause: string,
): void {
  const { nodeId, key } = open;
  const resolved = emit(turn, 'interrupt.resolved', payload, nodeId, cause);
  emit(turn, 'node.resumed', { nodeId, interruptId: key }, nodeId, resolved);
  const node = turn.plan.nodes.get(nodeId);
  if (node === undefined) return;
  const view = viewOf(turn, node, turn.run.nodes[nodeId]?.execution ?? 1);
  if ('error' in view) conclude(turn, node, { do: 'fail', error: view.error, retryable: false });
  else
    conclude(
      turn,
      node,
      node.type.answered?.(view, { ...answer, request: open.request, resolvedId: resolved }) ??
        unanswerable(),
    );
}

function unanswerable() {
  return {
    do: 'fail',
    error: runError('run_quarantined', 'The node asked a question it cannot use.'),
  } as const;
}
