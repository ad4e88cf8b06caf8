import { effectKey } from '../../kernel/effect-key.ts';
import { effectSteps } from '../../kernel/run.ts';
import type { WorkingRun } from '../../kernel/working-run.ts';
import type { AskedTool, ToolOutcome } from '../../ports/agent-effects.ts';
import type { AnsweredCall } from './approval.ts';
import { type Invocation, invocationOf } from './invocation.ts';
import { goOn, refreshed } from './loop.ts';
import { turnsOf } from './rounds.ts';
import { judgeCall, makeCall, settleUnmade } from './tool-calls.ts';

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
  const tool = judged.kind === 'allowed' ? judged.call.tool : judged.tool;
  const first = turn.calls[answered.call]?.made[0]?.asked;
  const settle = (outcome: ToolOutcome) => settleUnmade(invocation, { asked, outcome, tool, first });
  const { decision } = answered;
  if (judged.kind === 'settled') settle(judged.outcome);
  else if (decision.kind === 'decline') settle({ status: 'forbidden', reason: decision.reason });
  else if (asked.argsHash !== answered.argsHash) {
    settle({ status: 'forbidden', reason: 'the arguments changed after the approval' });
  } else if (decision.kind === 'record') settle({ status: 'ok', output: decision.result });
  else makeCall(invocation, { ...judged.call, asked: { ...asked, ...sameCall(invocation, answered) } });
  const status = working.run.nodes[node.id]?.status;
  if (status === 'running') goOn(refreshed(invocation));
}

/**
 * A call that is repeated has the key of the first call, so that the tool can recognise it, and its `callId` and
 * `calledAt`, so that the return that is told is the return of the call that was told.
 */
function sameCall(
  { working, node, steps }: Invocation,
  { of, call }: AnsweredCall,
): Pick<AskedTool, 'calledAt' | 'key'> & { readonly callId?: string } {
  const first = turnsOf(steps).find(({ step }) => step === of)?.calls[call]?.made[0];
  const state = working.run.nodes[node.id];
  if (first === undefined || state === undefined) return {};
  const { execution, attempt } = state;
  const key = effectKey(working.run, { nodeId: node.id, execution, attempt, step: first.step });
  const { callId, calledAt } = first.asked;
  return { key, callId, ...(calledAt !== undefined && { calledAt }) };
}
