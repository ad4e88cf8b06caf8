import {
  ApprovalAnswer,
  type ApprovalData,
  BatonError,
  ClarificationAnswer,
  type ClarificationData,
  isJsonObject,
  type JsonObject,
  type PayloadOf,
  parse,
  problemByAuthor,
  type Scope,
} from '@baton/protocol';
import { own } from '../graph/own.ts';
import { sameJson } from '../graph/same-json.ts';
import type { OpenInterrupt } from '../run.ts';
import { type Ballot, countAccept, countReject, type Quorum } from './ballot.ts';

/** Checks an answer to an open interrupt: whether it is allowed, and whether it settles the question. */

type Approval = Omit<PayloadOf<'approval.received'>, 'nodeId' | 'interruptId' | 'decidedBy'>;

export type CheckedAnswer =
  /** Settles the question. */
  | {
      readonly kind: 'answered' | 'rejected';
      readonly approval?: Approval;
      readonly ballot?: Ballot;
      readonly answers?: JsonObject;
    }
  /** The vote counts, but more votes are needed. */
  | { readonly kind: 'vote'; readonly approval: Approval; readonly ballot: Ballot }
  /** The person asks a question back. The interrupt stays open. */
  | { readonly kind: 'asked'; readonly question: string };

/** The principal who answers, and the scopes of its key. */
interface Answerer {
  readonly principal: string;
  readonly scopes: readonly string[];
}

/** Throws a refusal when the answer does not fit the question or the caller may not give it. */
export function judgeAnswer(
  open: OpenInterrupt,
  value: JsonObject,
  by: Answerer,
  starters: ReadonlySet<string>,
): CheckedAnswer {
  const { request } = open;
  checkResumeSchema(request.resumeSchema, value);
  switch (request.kind) {
    case 'approval':
      refuseOwnWork(request.data, by.principal, starters);
      return checkApproval(open, request.data, value, by);
    case 'low-confidence':
      return checkApproval(open, LOW_CONFIDENCE, value, by);
    case 'clarification':
      return checkClarification(request.data, value);
    case 'external-event':
      checkCorrelation(request.data.correlation, value);
      return { kind: 'answered' };
    case 'custom':
      return { kind: 'answered' };
  }
}

/** The verdict with the recorded form of the answer, in which sensitive values are sealed. */
export function retell(verdict: CheckedAnswer, value: JsonObject): CheckedAnswer {
  const told = (names: readonly string[], before: object) =>
    Object.fromEntries(names.filter((name) => name in before).map((name) => [name, value[name]]));
  const { question, comment, reason = comment } = value;
  if (verdict.kind === 'asked') return { ...verdict, question: String(question ?? comment) };
  const { approval, ballot } = verdict;
  return {
    ...verdict,
    ...(approval && { approval: { ...approval, ...told(WORDS, approval) } }),
    ...(ballot && { ballot: { ...ballot, ...('reason' in ballot && { reason: String(reason) }) } }),
    ...told(['answers'], verdict),
  } as CheckedAnswer;
}

const WORDS = ['comment', 'feedback', 'refineFeedback', 'editedArtifactData'];

const LOW_CONFIDENCE = { actions: ['accept', 'reject'] } as const;

type Gate = Quorum &
  Pick<ApprovalData, 'approversList' | 'overrideBypassesQuorum' | 'votersByPrincipal'> & {
    readonly actions: readonly string[];
  };

function checkApproval(open: OpenInterrupt, gate: Gate, value: JsonObject, by: Answerer): CheckedAnswer {
  const answer = parse(ApprovalAnswer, value, 'resumeValue');
  const { action } = answer;
  if (!gate.actions.includes(action)) {
    throw new BatonError(
      'validation_error',
      `resumeValue: action must be one of ${gate.actions.join(', ')}`,
      {
        field: 'action',
        allowed: gate.actions,
      },
    );
  }
  if (answer.override === true) {
    const ballot = checkOverride(gate, answer, by.scopes);
    return { kind: 'answered', approval: { action: 'accept', voter: by.principal }, ballot };
  }
  const voter = voterOf(gate, answer.voter, by.principal);
  if (action === 'ask') {
    const question = answer.question ?? answer.comment;
    if (question === undefined) throw missing('question', 'ask');
    return { kind: 'asked', question };
  }
  if (action === 'refine' && answer.refineFeedback === undefined) throw missing('refineFeedback', action);
  if (action === 'edit-accept' && answer.editedArtifactData === undefined) {
    throw missing('editedArtifactData', action);
  }
  const { refineFeedback, ...words } = answer;
  const approval: Approval = {
    action,
    voter,
    ...(words.comment !== undefined && { comment: words.comment }),
    ...(words.feedback !== undefined && { feedback: words.feedback }),
    ...(refineFeedback !== undefined && { refineFeedback: refineFeedback as JsonObject }),
    ...(words.editedArtifactData !== undefined && { editedArtifactData: words.editedArtifactData }),
  };
  if (action === 'refine') return { kind: 'answered', approval };
  const count =
    action === 'reject'
      ? countReject(open, gate, voter, answer.reason ?? answer.comment)
      : countAccept(open, gate, voter);
  return { ...count, approval };
}

function refuseOwnWork(data: ApprovalData, principal: string, starters: ReadonlySet<string>): void {
  if (data.separationOfDuties !== true || !starters.has(principal)) return;
  const message =
    'You started or branched this run or a run that it comes from, so another principal must approve this.';
  throw new BatonError('forbidden', message);
}

/** With a list of approvers, only the authenticated principal counts. Without one, voters name themselves. */
function voterOf(gate: Gate, claimed: string | undefined, principal: string): string {
  if (gate.approversList === undefined || gate.approversList.length === 0) {
    return gate.votersByPrincipal === true ? principal : (claimed ?? principal);
  }
  if (!gate.approversList.includes(principal)) {
    throw new BatonError('forbidden', 'You are not on the list of approvers for this step.');
  }
  return principal;
}

function checkClarification(data: ClarificationData, value: JsonObject): CheckedAnswer {
  const { answers } = parse(ClarificationAnswer, value, 'resumeValue');
  for (const question of data.questions) {
    const field = `answers.${question.id}`;
    const answer = own(answers, question.id);
    if (answer === undefined) {
      throw new BatonError('validation_error', `resumeValue: ${field} is required`, { field });
    }
    const problem = question.schema && schemaProblem(question.schema, answer);
    if (problem) throw new BatonError('validation_error', `resumeValue: ${field} ${problem}`, { field });
  }
  return { kind: 'answered', answers };
}

/** The event must have every key of the correlation with the same value. It may have more keys. */
function checkCorrelation(correlation: JsonObject, value: JsonObject): void {
  for (const [key, expected] of Object.entries(correlation)) {
    if (!sameJson(value[key], expected)) {
      throw new BatonError('correlation_mismatch', `The event's "${key}" is not what this run waits for.`, {
        field: key,
      });
    }
  }
}

function checkResumeSchema(schema: JsonObject | undefined, value: JsonObject): void {
  const problem = schema && schemaProblem(schema, value);
  if (problem) throw new BatonError('validation_error', `resumeValue ${problem}`, { field: 'resumeValue' });
}

function schemaProblem(schema: JsonObject, value: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined;
  const problem = problemByAuthor(schema, value);
  return problem && `${problem.field} ${problem.problem}`.trim();
}

function missing(field: string, action: string): BatonError {
  return new BatonError('validation_error', `resumeValue: ${field} is required for the action "${action}"`, {
    field,
  });
}

const OVERRIDE: Scope = 'approvals:override';

/**
 * Checks that one person may settle an approval alone, whatever its quorum and its list of approvers. The
 * approval must allow it, the key must have the scope, and the answer must state a reason.
 */
function checkOverride(
  gate: Pick<ApprovalData, 'overrideBypassesQuorum'>,
  answer: ApprovalAnswer,
  scopes: readonly string[],
): Ballot {
  if (gate.overrideBypassesQuorum !== true) {
    throw new BatonError('forbidden', 'This approval cannot be overridden; its quorum has to be met.');
  }
  if (!scopes.includes(OVERRIDE)) {
    throw new BatonError('forbidden', `Overriding an approval needs a key with the scope "${OVERRIDE}".`, {
      scope: OVERRIDE,
    });
  }
  if (answer.action !== 'accept') throw unfit('override', 'is allowed only with the action "accept"');
  const reason = answer.reason?.trim();
  if (reason === undefined || reason === '') throw unfit('reason', 'is required for an override');
  return { kind: 'overridden', reason };
}

function unfit(field: string, problem: string): BatonError {
  return new BatonError('validation_error', `resumeValue: ${field} ${problem}`, { field });
}
