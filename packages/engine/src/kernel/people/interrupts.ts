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
import { isEnded, type OpenInterrupt, type Run } from '../run.ts';
import { recordable, unhideEdit } from '../secrecy/answers.ts';
import { emit, type WorkingRun, workingParent } from '../working-run.ts';
import { type CheckedAnswer, judgeAnswer, retell } from './answers.ts';
import type { Ballot } from './ballot.ts';
import { requireNamedQuestion } from './tool-questions.ts';

/** Questions to people and other systems: how they are answered once, and how they expire. */

type Given =
  | { readonly outcome: 'answered' | 'rejected'; readonly value: JsonObject }
  | { readonly outcome: 'timeout' };

interface Resolution {
  /** An answer that names both is refused if the question is not one of the node. */
  readonly target:
    | { readonly nodeId: string; readonly interruptId?: string }
    | { readonly interruptId: string };
  readonly value: Json;
  readonly principal: string;
  readonly viaToken: boolean;
  readonly scopes: readonly string[];
}

/** Applies an answer, or throws a refusal that changes nothing. */
export function resolveInterrupt(working: WorkingRun, resolution: Resolution): void {
  const open = findOpen(working, resolution);
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
  const verdict = judgeAnswer(open, given, { principal, scopes }, startersOf(working));
  working.plan.nodes.get(open.nodeId)?.type.checkAnswer?.(working, open.nodeId, given);
  const value = recordable(working, open, given);
  record(working, open, value, principal, value === given ? verdict : retell(verdict, value));
}

const AUTH_REQUIRED = 'openwop-interrupt-auth-required';

/** A link does not show who uses it, so it cannot prove that the approver is another person. */
function needsIdentity({ profile, separationOfDuties }: ApprovalData): boolean {
  return profile === AUTH_REQUIRED || separationOfDuties === true;
}

function findOpen(working: WorkingRun, { target }: Resolution): OpenInterrupt {
  const { run, plan } = working;
  const open = openAt(run, target);
  if (open?.expiresAt !== undefined && open.expiresAt <= working.tree.world.now) {
    throw new BatonError('interrupt_gone', 'The question was not answered in time and is closed.');
  }
  if (open !== undefined) {
    if (target.interruptId === undefined) requireNamedQuestion(run, open);
    return open;
  }
  const nodeId = 'nodeId' in target ? target.nodeId : target.interruptId.split(':', 1)[0];
  const node = nodeId === undefined ? undefined : plan.nodes.get(nodeId);
  if (nodeId === undefined || node === undefined) {
    throw new BatonError('not_found', `This run has no node "${nodeId}".`);
  }
  if (node.type.answered === undefined) {
    throw new BatonError('not_found', `Node "${nodeId}" is of a type that never asks a question.`);
  }
  if (isEnded(run)) throw new BatonError('interrupt_gone', 'The run has ended, so its questions are closed.');
  if (run.nodes[nodeId] === undefined) {
    throw new BatonError('not_found', `Node "${nodeId}" has not asked a question yet.`);
  }
  throw new BatonError('interrupt_resolved');
}

function openAt({ interrupts }: Run, target: Resolution['target']): OpenInterrupt | undefined {
  const { nodeId, interruptId } = { nodeId: undefined, ...target };
  if (interruptId === undefined) return Object.values(interrupts).find((one) => one.nodeId === nodeId);
  const open = interrupts[interruptId];
  return nodeId !== undefined && open?.nodeId !== nodeId ? undefined : open;
}

function record(
  working: WorkingRun,
  open: OpenInterrupt,
  value: JsonObject,
  by: string,
  verdict: CheckedAnswer,
): void {
  const { nodeId, key, requestId } = open;
  let cause = requestId;
  if (verdict.kind === 'asked') {
    const questions = [{ id: `${key}?`, question: verdict.question }];
    emit(
      working,
      'clarification.requested',
      { nodeId, interruptId: key, questions, askedBy: by },
      nodeId,
      cause,
    );
    return;
  }
  if (verdict.approval) {
    cause = emit(
      working,
      'approval.received',
      { nodeId, interruptId: key, decidedBy: by, ...verdict.approval },
      nodeId,
      cause,
    );
    if (verdict.ballot) recordBallot(working, open, verdict.ballot, by, cause);
  }
  if (verdict.kind === 'vote') return;
  if (verdict.answers) {
    const payload = { nodeId, interruptId: key, answers: verdict.answers, answeredBy: by };
    cause = emit(working, 'clarification.resolved', payload, nodeId, cause);
  }
  close(working, open, { outcome: verdict.kind, value }, cause, by);
}

/** Records the vote for audits, with the authenticated principal, whatever name the voter gave. */
function recordBallot(
  working: WorkingRun,
  open: OpenInterrupt,
  ballot: Ballot,
  principal: string,
  cause: string,
) {
  const { nodeId, key: gateId } = open;
  switch (ballot.kind) {
    case 'granted': {
      const { granted, required } = ballot;
      const payload = { gateId, principal, quorumProgress: { granted, required } };
      return emit(working, 'approval.granted', payload, nodeId, cause);
    }
    case 'rejected': {
      const { reason } = ballot;
      const payload = { gateId, principal, ...(reason !== undefined && { reason }) };
      return emit(working, 'approval.rejected', payload, nodeId, cause);
    }
    case 'overridden':
      return emit(
        working,
        'approval.overridden',
        { gateId, principal, reason: ballot.reason },
        nodeId,
        cause,
      );
  }
}

/** Closes a question that was not answered in time. */
export function expireInterrupt(working: WorkingRun, open: OpenInterrupt): void {
  const { nodeId, key } = open;
  let cause = open.requestId;
  if (open.request.kind === 'approval') {
    cause = emit(
      working,
      'approval.received',
      { nodeId, interruptId: key, action: 'timeout' },
      nodeId,
      cause,
    );
  }
  close(working, open, { outcome: 'timeout' }, cause);
}

function close(working: WorkingRun, open: OpenInterrupt, answer: Given, cause: string, by?: string): void {
  const payload = {
    nodeId: open.nodeId,
    interruptId: open.key,
    kind: open.request.kind,
    outcome: answer.outcome,
    ...(answer.outcome !== 'timeout' && { resumeValue: answer.value }),
    ...(by && { resolvedBy: by }),
  };
  settle(working, open, payload, answer, cause);
}

/** Repeats the recorded answer of the source. It was checked then; its consequences are computed again. */
export function closeAsRecorded(
  working: WorkingRun,
  open: OpenInterrupt,
  payload: PayloadOf<'interrupt.resolved'>,
  cause: string,
): void {
  const { outcome, resumeValue } = payload;
  const value = isJsonObject(resumeValue) ? resumeValue : {};
  settle(working, open, payload, { outcome: outcome === 'rejected' ? 'rejected' : 'answered', value }, cause);
  working.tree.agenda.push(working.run.runId);
}

function settle(
  working: WorkingRun,
  open: OpenInterrupt,
  payload: PayloadOf<'interrupt.resolved'>,
  answer: Given,
  cause: string,
): void {
  const { nodeId, key } = open;
  const resolved = emit(working, 'interrupt.resolved', payload, nodeId, cause);
  emit(working, 'node.resumed', { nodeId, interruptId: key }, nodeId, resolved);
  const node = working.plan.nodes.get(nodeId);
  if (node === undefined) return;
  const view = viewOf(working, node, working.run.nodes[nodeId]?.execution ?? 1);
  if ('error' in view) conclude(working, node, { do: 'fail', error: view.error, retryable: false });
  else
    conclude(
      working,
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

/** All principals who started or branched the run, the runs that it was branched from, or a run above it. */
function startersOf(working: WorkingRun): ReadonlySet<string> {
  const starters = new Set<string>();
  for (let at: WorkingRun | undefined = working; at !== undefined; at = workingParent(at)) {
    starters.add(at.run.principal);
    for (const one of at.run.starters ?? []) starters.add(one);
  }
  return starters;
}
