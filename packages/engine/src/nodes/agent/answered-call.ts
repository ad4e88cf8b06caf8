import { effectKey } from '../../kernel/effect-key.ts';
import { effectSteps } from '../../kernel/run.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import type { AnsweredCall } from './approval.ts';
import { LOST_CALL } from './approval.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { goOn, refreshed } from './loop.ts';
import { turnsOf } from './rounds.ts';
import { judgeCall, makeCall, settleWithout, tellReturned } from './tool-calls.ts';

export function answerCall(working: WorkingRun, nodeId: string, answered: AnsweredCall): void {
  const node = working.plan.nodes.get(nodeId);
  const invocation = node && invocationOf(working, node);
  if (invocation) takeCallAnswer(invocation, answered);
}

/** Takes the decision of a person about a tool call. It counts only for the arguments that the person saw. */
function takeCallAnswer(invocation: Invocation, answered: AnsweredCall): void {
  const { working, node } = invocation;
  const turn = turnsOf(invocation.steps).find(({ step }) => step === answered.of);
  const step = (effectSteps(working.run, node.id).at(-1)?.step ?? 0) + 1;
  if (turn?.calls[answered.call] === undefined) return;
  const judged = judgeCall(invocation, turn, answered.call, step);
  const asked = judged.kind === 'allowed' ? judged.call.asked : judged.asked;
  const { decision } = answered;
  if (judged.kind === 'settled') settleWithout(invocation, asked, judged.outcome);
  else if (decision.kind === 'decline' || asked.argsHash !== answered.argsHash) {
    const reason = decision.kind === 'decline' ? decision.reason : 'the arguments changed after the approval';
    settle(invocation, answered, { status: 'forbidden', reason });
  } else if (decision.kind === 'record') {
    settle(invocation, answered, { status: 'ok', output: decision.result });
  } else makeCall(invocation, { ...judged.call, asked: { ...asked, ...sameCall(invocation, answered) } });
  const status = working.run.nodes[node.id]?.status;
  if (status === 'running') goOn(refreshed(invocation));

  function settle(
    within: Invocation,
    { about }: AnsweredCall,
    outcome: Parameters<typeof settleWithout>[2],
  ): void {
    settleWithout(within, asked, outcome);
    const first = turn?.calls[answered.call]?.made[0]?.asked;
    // A call whose outcome was lost was told as called, so its return is told too.
    if (about === LOST_CALL && first) tellReturned(within, first, outcome);
  }
}

/**
 * A call that is repeated has the key of the first call, so that the tool can recognise it, and its `callId`, so
 * that the return that is told is the return of the call that was told.
 */
function sameCall(
  { working, node, steps }: Invocation,
  { of, call }: AnsweredCall,
): { readonly key?: string; readonly callId?: string } {
  const first = turnsOf(steps).find(({ step }) => step === of)?.calls[call]?.made[0];
  const state = working.run.nodes[node.id];
  if (first === undefined || state === undefined) return {};
  const { execution, attempt } = state;
  const key = effectKey(working.run, { nodeId: node.id, execution, attempt, step: first.step });
  return { key, callId: first.asked.callId };
}
