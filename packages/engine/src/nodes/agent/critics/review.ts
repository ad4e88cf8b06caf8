import { isJsonObject, type Json, runError, type Verifier } from '@baton/protocol';
import { closeInvocation } from '../../../kernel/agents/close-invocation.ts';
import { failNode } from '../../../kernel/execute.ts';
import {
  type JudgedWork,
  type Judgement,
  judgement,
  NOT_STARTED,
  recordVerdict,
  startCritic,
} from '../../../kernel/handoff/critic.ts';
import { hasTurnLeft } from '../../../kernel/limits.ts';
import { catchUp } from '../../../kernel/memory/shared-scope.ts';
import { recordedAbout } from '../../../kernel/replay/source.ts';
import type { NodeState } from '../../../kernel/run.ts';
import { askModel } from '../ask-model.ts';
import { announce } from '../begin.ts';
import type { Invocation } from '../invocation.ts';
import { firstPhase, goOn, refreshed } from '../loop.ts';
import { resultSchema } from '../result-schema.ts';
import { textIn, turnsOf } from '../rounds.ts';
import { type Conclusion, statedConfidence } from './decision.ts';
import { byCriteria, callToJudge, type JudgedCall } from './judged-calls.ts';
import { verifierOf } from './verifiers.ts';

/**
 * Critics of an invocation. A critic judges the result of a tool call before the model is told, and the decision
 * of the agent before it is used. It runs as a child run, like the critics of the merge gate.
 */

type Running = Extract<NodeState, { status: 'running' }>;

/** Starts the critic that is needed next, or acts on its verdict. True when an event was recorded. */
export function proceedWithReview(invocation: Invocation, conclusion: Conclusion): boolean {
  const { working, node } = invocation;
  const state = working.run.nodes[node.id];
  if (state?.status !== 'running' || state.review?.verdict !== undefined) return false;
  const turn = turnsOf(invocation.steps).at(-1);
  const call = turn && callToJudge(invocation, turn);
  const work = call ? workOfCall(invocation, state, call) : workOfDecision(invocation, state, conclusion);
  return work !== undefined && judge(invocation, work);
}

/** Work that is judged, and what follows from the verdict. */
interface Judged {
  readonly work: JudgedWork;
  readonly verifier: Verifier;
  readonly outputs: Readonly<Record<string, Json>>;
  readonly act: (given: Judgement) => void;
}

function workOfCall(
  invocation: Invocation,
  state: Running,
  { callId, verifier, outputs }: JudgedCall,
): Judged {
  return {
    work: workOf(invocation, state, callId, 1),
    verifier,
    outputs,
    act: () => goOn(refreshed(invocation)),
  };
}

/** The critic is not told the confidence of the agent, which is no part of the work. */
function workOfDecision(invocation: Invocation, state: Running, conclusion: Conclusion): Judged | undefined {
  const { review, revisions = 0 } = state;
  const verifier = verifierOf(invocation);
  if (review === undefined || verifier === undefined) return undefined;
  const result = resultGiven(invocation);
  return {
    work: workOf(invocation, state, review.target, revisions + 1),
    verifier,
    outputs: { result: withoutConfidence(result) },
    act: (given) => actOnVerdict(invocation, verifier, given, result, conclusion),
  };
}

function workOf(
  { agent }: Invocation,
  { review, startedId }: Running,
  target: string,
  attempt: number,
): JudgedWork {
  const { critic } = review ?? {};
  // The id of a tool call is no event.
  const cause = review?.agentId === undefined ? startedId : target;
  return { target, workerId: agent.agentId, attempt, cause, ...(critic && { critic }) };
}

/** The result that the last answer of the model gave. */
function resultGiven({ steps }: Invocation): Json {
  const outcome = turnsOf(steps).at(-1)?.outcome;
  if (outcome === undefined) return null;
  return outcome.result.kind === 'valid' ? (outcome.data ?? null) : textIn(outcome);
}

function withoutConfidence(result: Json): Json {
  if (!isJsonObject(result) || statedConfidence(result).confidence === undefined) return result;
  const { confidence: _own, ...rest } = result;
  return rest;
}

function judge(invocation: Invocation, { work, verifier, outputs, act }: Judged): boolean {
  const { working, node, agent } = invocation;
  if (work.critic === undefined) {
    const memory = catchUp(working);
    if (memory !== 'current') return memory === 'moved';
    const started = startCritic(working, node.id, work, verifier, { outputs, actorId: agent.agentId });
    if (started !== 'impossible') return started === 'started';
  }
  const given = work.critic === undefined ? NOT_STARTED : judgement(working, work.critic);
  if (given === undefined) return false;
  recordVerdict(working, node.id, work, verifier, given);
  act(given);
  return true;
}

function actOnVerdict(
  invocation: Invocation,
  verifier: Verifier,
  given: Judgement,
  result: Json,
  conclusion: Conclusion,
): void {
  const { working, node, agent } = invocation;
  const state = working.run.nodes[node.id];
  if (state?.status !== 'running' || state.review === undefined) return;
  const { revisions = 0, review } = state;
  if (given.verdict === 'pass') {
    conclusion.use(invocation, result, {
      eventId: review.target,
      isCriticUnsure: isUnsure(invocation, given),
    });
  } else if (
    given.verdict === 'revise' &&
    revisions < (verifier.maxRevisions ?? 1) &&
    hasTurnLeft(working.run)
  ) {
    revise(invocation, verifier, given, result);
  } else {
    const message =
      given.missing === undefined
        ? `A critic turned down the result of agent "${agent.agentId}"${byCriteria(verifier)}.`
        : `The critic "${verifier.workflowId}" of agent "${agent.agentId}" gave no verdict: ${given.missing}. So the result is not used.`;
    failNode(working, node, runError('verdict_failed', message, { verdict: given.verdict }), false);
  }
}

/** A replay asks a person where its source did, even if the operator has changed the floor since. */
function isUnsure({ working, node }: Invocation, { confidence }: Judgement): boolean {
  if (confidence === undefined) return false;
  const recorded = recordedAbout(working, node.id, 'agent.invocation.completed');
  if (recorded === undefined || recorded === 'unknown')
    return confidence < working.tree.world.confidenceFloor;
  return recorded.payload.outcome === 'escalated';
}

const LONGEST_FEEDBACK = 8000;

/**
 * The agent works again, with the feedback of the critic. This is another invocation, because in one invocation no
 * reasoning and no tool call may follow the decision.
 */
function revise(invocation: Invocation, verifier: Verifier, { feedback }: Judgement, result: Json): void {
  const { working, node } = invocation;
  const validated = resultSchema(invocation) === undefined ? {} : { schemaValidated: true };
  closeInvocation(working, node.id, 'completed', { ...validated, ...statedConfidence(result) });
  announce(invocation);
  const { criteria } = verifier;
  const revision = {
    ...(criteria && criteria.length > 0 && { criteria }),
    ...(feedback !== undefined && { feedback: feedback.slice(0, LONGEST_FEEDBACK) }),
  };
  askModel(refreshed(invocation), firstPhase(invocation), { revision });
}
