import { Agent, invalid, problemWith, runError } from '@baton/protocol';
import Type from 'typebox';
import { failNode } from '../../kernel/execute.ts';
import type { Act, Answer, Finish, NodeType, SettledEffect } from '../../kernel/model.ts';
import { type WorkingRun, workingChild } from '../../kernel/working-run.ts';
import {
  type AskedTool,
  MODEL_CALL,
  PREPARE,
  Prepared,
  type ToolOutcome,
} from '../../ports/agent-effects.ts';
import { ModelOutcome } from '../../ports/model-outcome.ts';
import { tellSpent } from '../model-answer.ts';
import { answerCall } from './answered-call.ts';
import { answeredCall } from './approval.ts';
import { beginInvocation, takePrepared } from './begin.ts';
import { AGENT_DECISION, afterEscalation, delivering, problemWithEdit } from './conclude.ts';
import { type Conclusion, decide } from './critics/decision.ts';
import { proceedWithReview } from './critics/review.ts';
import { handOver, takeChild } from './handover.ts';
import { agentIdOf, invocationOf, openInvocation } from './invocation.ts';
import { openHandoff, takeAnswer, takeToolOutcome } from './loop.ts';
import { requestOfStep } from './request.ts';
import { canRepeatCalls } from './tool-calls.ts';

const AGENT_NODE = 'core.agent';

/** Invokes a live agent: the agent of a manifest that `agent` names. The result is the output `result`. */
export const agentNode: NodeType = {
  typeId: AGENT_NODE,
  config: Type.Object(
    {
      /** Only in the definitions that the host makes for registered agents. */
      agent: Type.Optional(Agent),
    },
    { additionalProperties: false },
  ),
  check: ({ agent }) => (agent === undefined ? ['agent: name the agent, as { "agentId": "…" }'] : []),
  start: () => ({ do: 'proceed' }),
  proceed,
  canRepeat: canRepeatCalls,
  outcome: (settled) => takeOutcome(settled, delivering),
  spent: tellSpent,
  failing: openLate,
  request: requestOfStep,
  checkAnswer: (working, nodeId, value) => {
    const node = working.plan.nodes.get(nodeId);
    const open = Object.values(working.run.interrupts).find((one) => one.nodeId === nodeId);
    if (open?.request.kind !== 'approval' || open.request.data.artifactType !== AGENT_DECISION) return;
    if (value.action !== 'edit-accept' || node === undefined) return;
    const invocation = invocationOf(working, node);
    const problem = invocation && problemWithEdit(invocation, value.editedArtifactData);
    if (problem) throw invalid('resumeValue.editedArtifactData', problem);
  },
  answered: (_view, answer) => takeAnswerOf(answer),
};

function takeAnswerOf(answer: Answer): Finish | Act {
  const call = answeredCall(answer);
  if (call === undefined) return afterEscalation(answer);
  return { do: 'act', act: (working, nodeId) => answerCall(working, nodeId, call) };
}

function proceed(working: WorkingRun, nodeId: string): boolean {
  const node = working.plan.nodes.get(nodeId);
  const state = working.run.nodes[nodeId];
  if (node === undefined || state?.status !== 'running') return false;
  switch (state.wait.for) {
    case 'nothing':
      return beginInvocation(working, node);
    case 'effects': {
      const invocation = invocationOf(working, node);
      if (invocation === undefined) return false;
      const call = openHandoff(invocation);
      return call ? handOver(invocation, call) : proceedWithReview(invocation, delivering);
    }
    case 'child':
      return takeChild(working, node, workingChild(working, state.wait.childRunId)?.run);
    default:
      return false;
  }
}

/** An invocation that fails before its agent is prepared has both its events too. */
export function openLate(working: WorkingRun, nodeId: string): void {
  const node = working.plan.nodes.get(nodeId);
  if (node) openInvocation(working, node, agentIdOf(node));
}

/** Takes the outcome of one effect. */
export function takeOutcome({ step, outputs }: SettledEffect, conclusion: Conclusion): Act {
  return {
    do: 'act',
    act: (working, nodeId) => {
      const node = working.plan.nodes.get(nodeId);
      if (node === undefined) return;
      const { kind, request } = step.effect;
      if (kind === PREPARE) {
        const broken = problemWith(Prepared, outputs) !== undefined;
        takePrepared(working, node, broken ? { problem: runError('provider_error') } : (outputs as Prepared));
        return;
      }
      const invocation = invocationOf(working, node);
      if (invocation === undefined) return;
      if (kind !== MODEL_CALL) {
        takeToolOutcome(invocation, request as unknown as AskedTool, outputs as unknown as ToolOutcome);
      } else if (problemWith(ModelOutcome, outputs)) {
        failNode(working, node, runError('provider_error', 'What came of the call cannot be read.'), false);
      } else {
        takeAnswer(invocation, outputs as unknown as ModelOutcome, (result) =>
          decide(invocation, result, conclusion),
        );
      }
    },
  };
}
