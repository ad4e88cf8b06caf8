import { agentWorkflowId, type Json, type JsonObject, type ModelMessage, runError } from '@baton/protocol';
import { carryUsage } from '../../kernel/agents/carry-usage.ts';
import { closeInvocation } from '../../kernel/agents/close-invocation.ts';
import { assign, completeNode, failNode } from '../../kernel/execute.ts';
import type { PlanNode } from '../../kernel/graph/plan.ts';
import { planChild, refuseInputs, startChild } from '../../kernel/handoff/children.ts';
import { carryHome, isIsolated, readyToCarry } from '../../kernel/memory/carry.ts';
import { endStatus, type Run } from '../../kernel/run.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { handoffTarget } from '../../ports/agent-effects.ts';
import { type Invocation, ownAgent, taskFields } from './invocation.ts';
import { taskText } from './prompt.ts';
import { textIn, turnsOf } from './rounds.ts';
import { type AllowedCall, settleWithout } from './tool-calls.ts';

/**
 * An agent hands its work to another agent, which runs as a child. The result of the child is the result of the
 * node. The inputs of the child hold all that was passed on.
 */

/** False when a look-up is needed first. */
export function handOver(invocation: Invocation, call: AllowedCall): boolean {
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
export function takeChild(working: WorkingRun, node: PlanNode, child: Run | undefined): boolean {
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
