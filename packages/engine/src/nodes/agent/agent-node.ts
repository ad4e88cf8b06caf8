import {
  Agent,
  agentWorkflowId,
  invalid,
  type Json,
  type JsonObject,
  type ModelMessage,
  problemWith,
  runError,
} from '@baton/protocol';
import Type from 'typebox';
import { carryUsage } from '../../kernel/agents/carry-usage.ts';
import { closeInvocation } from '../../kernel/agents/close-invocation.ts';
import { assign, completeNode, failNode } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { planChild, refuseInputs, startChild } from '../../kernel/handoff/children.ts';
import { carryHome, isIsolated, readyToCarry } from '../../kernel/memory/carry.ts';
import type { Act, Answer, Finish, NodeType, SettledEffect } from '../../kernel/model.ts';
import { endStatus, type Run } from '../../kernel/run.ts';
import { emit, type WorkingRun, workingChild } from '../../kernel/working-run.ts';
import {
  type AskedTool,
  handoffTarget,
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
import {
  agentIdOf,
  type Invocation,
  invocationOf,
  openInvocation,
  ownAgent,
  taskFields,
} from './invocation.ts';
import { openHandoff, takeAnswer, takeToolOutcome } from './loop.ts';
import { taskText } from './prompt.ts';
import { requestOfStep } from './request.ts';
import { textIn, turnsOf } from './rounds.ts';
import { type AllowedCall, canRepeatCalls, settleWithout } from './tool-calls.ts';

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

/**
 * An agent hands its work to another agent, which runs as a child. The result of the child is the result of the
 * node. The inputs of the child hold all that was passed on.
 */

/** False when a look-up is needed first. */
function handOver(invocation: Invocation, call: AllowedCall): boolean {
  const { working, node, agent } = invocation;
  const toAgentId = handoffTarget(call.tool.id) ?? '';
  const child = planChild(working, node.id, agentWorkflowId(toAgentId));
  if (child.kind === 'unknown') return false;
  const start = { inputs: inputsOf(invocation, call, toAgentId), as: 'inputs' } as const;
  const problem = child.kind === 'refused' ? child.error : refuseInputs(child.workflow, start);
  if (child.kind === 'refused' || problem) {
    failNode(working, node, problem ?? runError('agent_not_found'), false);
    return true;
  }
  const { agentId } = agent;
  const decision = { handoff: toAgentId, input: call.asked.input };
  settleWithout(invocation, call.asked, { status: 'ok', output: `handed to ${toAgentId}` });
  const decidedId = emit(working, 'agent.decided', { agentId, decision }, node.id);
  const handed = emit(working, 'agent.handoff', { fromAgentId: agentId, toAgentId }, node.id, decidedId);
  const childRunId = startChild(working, node.id, child.workflow, start, handed);
  if (typeof childRunId !== 'string') {
    failNode(working, node, childRunId, false);
    return true;
  }
  closeInvocation(working, node.id, 'handed-off', { enqueuedRunId: childRunId });
  const childWorkflowId = agentWorkflowId(toAgentId);
  emit(working, 'node.dispatched', { childRunId, childWorkflowId }, node.id, handed);
  return true;
}

function inputsOf(invocation: Invocation, { asked }: AllowedCall, toAgentId: string): JsonObject {
  const policy = invocation.agent.handoffs?.find(({ agentId }) => agentId === toAgentId)?.history ?? 'none';
  const history = historyFor(invocation, policy);
  return { ...taskFields(asked.input), ...(history.length > 0 && { history: history as unknown as Json }) };
}

const LONGEST_SUMMARY = 2000;

/** `full`: the texts of both sides. `summary`: the task and the last text of the agent, shortened. */
function historyFor(invocation: Invocation, policy: 'none' | 'summary' | 'full'): readonly ModelMessage[] {
  if (policy === 'none') return [];
  const said = turnsOf(invocation.steps)
    .map(({ outcome }) => (outcome ? textIn(outcome) : ''))
    .filter((text) => text !== '');
  const task: ModelMessage = { role: 'user', content: taskText(invocation) };
  if (policy === 'full') {
    const answers = said.map((content): ModelMessage => ({ role: 'assistant', content }));
    return [...(invocation.asked.history ?? []), task, ...answers];
  }
  const text = [`Task: ${taskText(invocation)}`, ...said.slice(-1)].join('\n').slice(0, LONGEST_SUMMARY);
  return [{ role: 'user', content: text }];
}

/** Takes the result of the child that the work was handed to. */
function takeChild(working: WorkingRun, node: PlanNode, child: Run | undefined): boolean {
  if (child === undefined || endStatus(child) === undefined) return false;
  const isolated = isIsolated(node);
  const memory = readyToCarry(working, child, isolated);
  if (memory !== 'current') return memory === 'moved';
  carryUsage(working, node.id, child);
  if (endStatus(child) !== 'completed') {
    const code = endStatus(child) === 'cancelled' ? 'child_cancelled' : 'child_failed';
    failNode(working, node, runError(code, undefined, { childRunId: child.runId }));
    return true;
  }
  const { history: _passed, ...result } = child.variables;
  carryHome(working, node.id, child, isolated);
  if (ownAgent(node)) assign(working, node.id, result);
  completeNode(working, node.id, { result: result.result ?? null, childRunId: child.runId });
  return true;
}
