import { type Json, runError } from '@baton/protocol';
import { closeInvocation } from '../../kernel/agents/close-invocation.ts';
import { failNode } from '../../kernel/execute.ts';
import { effectSteps } from '../../kernel/run.ts';
import { emit } from '../../kernel/working-run.ts';
import { type AskedTool, handoffTarget, type ToolOutcome } from '../../ports/agent-effects.ts';
import type { ModelOutcome } from '../../ports/model-outcome.ts';
import { tellCost, tellRefusal, tellTruncation } from '../model-answer.ts';
import { MOST_OUTPUT_TOKENS } from '../model-corrections.ts';
import { askAboutLostCall, askForApproval } from './approval.ts';
import { askModel } from './ask-model.ts';
import { failUnfit } from './conclude.ts';
import { callToJudge } from './critics/judged-calls.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { resultSchema } from './result-schema.ts';
import {
  callsIn,
  type ModelTurn,
  type Phase,
  reasoningIn,
  resultOf,
  textIn,
  turnsOf,
  turnsSinceRevision,
} from './rounds.ts';
import { surfaceOf } from './surface.ts';
import {
  type AllowedCall,
  judgeCall,
  MOST_CALLS,
  makeCall,
  settleUnmade,
  settleWithout,
  tellReturned,
} from './tool-calls.ts';

/** The loop of an invocation: model calls in turn with tool calls, until the model gives its result. */

/** Uses the result, or says why it cannot be used. */
type Conclude = (result: Json) => string | undefined;

const USUAL_ROUNDS = 8;
const USUAL_ATTEMPTS = 3;

export function askFirst(invocation: Invocation): void {
  askModel(invocation, firstPhase(invocation));
}

export function firstPhase(invocation: Invocation): Phase {
  return surfaceOf(invocation).length > 0 || !resultSchema(invocation) ? 'round' : 'form';
}

/** Takes the answer of the model: its calls are made, or its result is used. */
export function takeAnswer(before: Invocation, outcome: ModelOutcome, conclude: Conclude): void {
  const { working, node, ready } = before;
  const request = { provider: ready.provider, model: ready.model };
  const answered = { working, node, request, outcome };
  tellCost(answered);
  const { result } = outcome;
  switch (result.kind) {
    case 'refused':
      tellRefusal(answered, result);
      closeInvocation(working, node.id, 'refused');
      // A refusal is never retried: other words might get around it.
      failNode(working, node, runError('envelope_refusal'), false);
      return;
    case 'truncated':
      tellTruncation(answered, result);
      askWithMoreRoom(before);
      return;
    case 'invalid':
      askAgain(before, result.problem);
      return;
    case 'valid':
      tellReasoning(before, outcome);
      takeResult(before, outcome.data ?? null, conclude);
      return;
    case 'said':
      tellReasoning(before, outcome);
      takeSaid(before, outcome, conclude);
  }
}

/**
 * In the call that asks for the result no tools are offered. A model that calls one all the same is told so, and
 * the call counts as an attempt, so that the rounds of the agent stay bounded.
 */
function takeSaid(invocation: Invocation, outcome: ModelOutcome, conclude: Conclude): void {
  const isForm = lastTurn(invocation)?.asked.phase === 'form';
  if (callsIn(outcome).length > 0) {
    takeCalls(invocation, isForm);
    if (isForm) askAgain(refreshed(invocation), 'it calls tools, and no tools can be called now');
  } else if (resultSchema(invocation) === undefined) takeResult(invocation, textIn(outcome), conclude);
  else if (isForm) askAgain(invocation, 'it is not in the required form');
  else askModel(invocation, 'form');
}

/** `conclude` says why the result cannot be used, if it cannot. Then the model is asked again. */
function takeResult(invocation: Invocation, result: Json, conclude: Conclude): void {
  const problem = conclude(result);
  if (problem !== undefined) askAgain(invocation, problem);
}

function lastTurn({ steps }: Invocation): ModelTurn | undefined {
  return turnsOf(steps).at(-1);
}

function attemptsOf({ agent }: Invocation): number {
  return agent.attempts ?? USUAL_ATTEMPTS;
}

/** How many of the last model calls were attempts to give the result. */
function attemptsMade({ steps }: Invocation): number {
  const turns = turnsSinceRevision(steps);
  let made = 0;
  for (const { outcome, asked } of [...turns].reverse()) {
    if (asked.phase === 'round' && outcome?.result.kind === 'said') break;
    made += 1;
  }
  return Math.max(1, made);
}

function askAgain(invocation: Invocation, problem: string): void {
  const made = attemptsMade(invocation);
  if (made >= attemptsOf(invocation)) {
    failUnfit(invocation, problem);
    return;
  }
  const told = { attempt: made + 1, reason: 'schema-violation' as const, previousError: problem };
  const { working, node } = invocation;
  emit(working, 'envelope.retry.attempted', { nodeId: node.id, ...told }, node.id);
  // The outcome of an invalid answer tells the problem itself.
  const isKnown = lastTurn(invocation)?.outcome?.result.kind === 'invalid';
  askModel(invocation, 'form', isKnown ? {} : { problem });
}

function askWithMoreRoom(invocation: Invocation): void {
  const { working, node } = invocation;
  const last = lastTurn(invocation);
  const room = last?.asked.maxOutputTokens ?? MOST_OUTPUT_TOKENS;
  if (
    last === undefined ||
    room >= MOST_OUTPUT_TOKENS ||
    attemptsMade(invocation) >= attemptsOf(invocation)
  ) {
    failNode(working, node, runError('envelope_truncation_unrecoverable'), false);
    return;
  }
  askModel(invocation, last.asked.phase, { room: Math.min(room * 2, MOST_OUTPUT_TOKENS) });
}

/**
 * Every round has its reasoning. The call that only brings the result into its form belongs to the last round,
 * so it tells none.
 */
function tellReasoning(invocation: Invocation, outcome: ModelOutcome): void {
  const { working, node, agent, steps } = invocation;
  const turns = turnsSinceRevision(steps);
  const isFirst = turns.filter(({ outcome: one }) => one?.result.kind !== 'invalid').length <= 1;
  if (turns.at(-1)?.asked.phase === 'form' && !isFirst) return;
  const isOff = working.run.configurable.reasoningVerbosity === 'off';
  const reasoning = reasoningIn(outcome) || (callsIn(outcome).length > 0 ? textIn(outcome) : '');
  const told = isOff
    ? { reasoning: '', verbosity: 'off' as const }
    : { reasoning, verbosity: 'full' as const };
  emit(working, 'agent.reasoned', { agentId: agent.agentId, ...told }, node.id);
}

/** All calls of the answer are judged and recorded at once. Those that need no person are made. */
function takeCalls(invocation: Invocation, isForm: boolean): void {
  const turn = lastTurn(invocation);
  if (turn === undefined) return;
  const handoff = isForm ? undefined : openHandoff(invocation);
  const all = isForm ? 'the result is asked for now' : handoff && 'the work is handed to another agent';
  for (const call of turn.calls.keys()) {
    const refusal = call >= MOST_CALLS ? 'an answer may hold fewer calls' : all;
    if (call !== handoff?.asked.call) takeCall(refreshed(invocation), turn, call, refusal);
    if (hasEnded(invocation)) return;
  }
  if (handoff === undefined && !isForm) goOn(refreshed(invocation));
}

/** The call that hands the work to another agent, if the last answer has a valid one. */
export function openHandoff(invocation: Invocation): AllowedCall | undefined {
  const turn = lastTurn(invocation);
  const call = turn?.calls.findIndex(
    ({ part, made }) => made.length === 0 && isHandoff(invocation, part.name),
  );
  if (turn === undefined || call === undefined || call === -1) return undefined;
  const judged = judgeCall(invocation, turn, call, nextStep(invocation));
  return judged.kind === 'allowed' ? judged.call : undefined;
}

function isHandoff(invocation: Invocation, name: string): boolean {
  const tool = surfaceOf(invocation).find((one) => one.name === name);
  return tool !== undefined && handoffTarget(tool.id) !== undefined;
}

function takeCall(invocation: Invocation, turn: ModelTurn, call: number, refusal?: string): void {
  const judged = judgeCall(invocation, turn, call, nextStep(invocation));
  if (refusal !== undefined) {
    const asked = judged.kind === 'allowed' ? judged.call.asked : judged.asked;
    settleWithout(invocation, asked, { status: 'forbidden', reason: refusal });
  } else if (judged.kind === 'settled') {
    settleUnmade(invocation, judged);
  } else if (judged.call.tool.approval === undefined) makeCall(invocation, judged.call);
}

function nextStep({ working, node }: Invocation): number {
  return (effectSteps(working.run, node.id).at(-1)?.step ?? 0) + 1;
}

/** The invocation with the effects that were recorded meanwhile. */
export function refreshed(invocation: Invocation): Invocation {
  return invocationOf(invocation.working, invocation.node) ?? invocation;
}

function hasEnded({ working, node }: Invocation): boolean {
  return working.run.nodes[node.id]?.status !== 'running';
}

/** Takes the outcome of a tool call. */
export function takeToolOutcome(invocation: Invocation, asked: AskedTool, outcome: ToolOutcome): void {
  tellReturned(invocation, asked, outcome);
  goOn(invocation);
}

/** After a call: waits for the other calls, asks a person about the next one, or asks the model again. */
export function goOn(invocation: Invocation): void {
  const turn = lastTurn(invocation);
  if (turn === undefined) return;
  const open = turn.calls.findIndex((call) => resultOf(call) === undefined);
  if (turn.calls.some(({ made }) => made.some(({ outcome }) => outcome === undefined))) return;
  if (open === -1) {
    // The model is asked after the critics have judged, see `critics/review.ts`.
    if (callToJudge(invocation, turn) !== undefined) return;
    const rounds = turnsSinceRevision(invocation.steps).filter(({ asked }) => asked.phase === 'round').length;
    askModel(invocation, rounds < (invocation.agent.maxToolRounds ?? USUAL_ROUNDS) ? 'round' : 'form');
    return;
  }
  const judged = judgeCall(invocation, turn, open, nextStep(invocation));
  if (judged.kind === 'settled') {
    settleUnmade(invocation, { ...judged, first: turn.calls[open]?.made[0]?.asked });
    goOn(refreshed(invocation));
  } else if (turn.calls[open]?.made.length === 0) askForApproval(invocation, judged.call);
  else askAboutLostCall(invocation, judged.call);
}
