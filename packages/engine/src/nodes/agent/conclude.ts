import { isJsonObject, type Json, type JsonObject, problemByAuthor, runError } from '@baton/protocol';
import { closeInvocation } from '../../kernel/agents/close-invocation.ts';
import { assign, completeNode, failNode } from '../../kernel/execute.ts';
import type { Answer, Finish } from '../../kernel/model.ts';
import { ask } from '../../kernel/people/asking.ts';
import { LOWEST_FLOOR } from '../../kernel/people/escalation.ts';
import { emit, type WorkingRun } from '../../kernel/working-run.ts';
import { DEFAULT_CONFIDENCE_THRESHOLD } from '../confidence.ts';
import { answerTime } from './approval.ts';
import { checks } from './checks.ts';
import { type Conclusion, type MadeDecision, statedConfidence } from './critics/decision.ts';
import { type Invocation, ownAgent } from './invocation.ts';
import { resultSchema } from './result-schema.ts';

/** The end of an invocation with a result: the decision, the escalation if the agent is not sure, the outputs. */

export const AGENT_DECISION = 'agent-decision';

export const delivering: Conclusion = { problem: problemWithConfidence, use: deliverOrAsk };

/** A threshold that the agent declares must not be passed by a confidence that cannot be compared with it. */
function problemWithConfidence({ agent }: Invocation, result: Json): string | undefined {
  if (agent.confidence?.defaultThreshold === undefined) return undefined;
  const stated = isJsonObject(result) ? result.confidence : undefined;
  if (stated === undefined || statedConfidence(result).confidence !== undefined) return undefined;
  return 'confidence must be a number from 0 to 1';
}

function deliverOrAsk(invocation: Invocation, result: Json, { eventId, isCriticUnsure }: MadeDecision): void {
  const { working, node } = invocation;
  const nodeId = node.id;
  const stated = statedConfidence(result);
  const { confidence } = stated;
  const validated = resultSchema(invocation) === undefined ? {} : { schemaValidated: true };
  const threshold = thresholdOf(invocation);
  const isAgentUnsure =
    confidence !== undefined && confidence < threshold && checks(working.run, 'confidence-escalation');
  const outcome = isAgentUnsure || isCriticUnsure ? 'escalated' : 'completed';
  closeInvocation(working, nodeId, outcome, { ...validated, ...stated });
  if (isAgentUnsure) escalate(invocation, result, confidence, threshold, eventId);
  else if (isCriticUnsure) askAbout(invocation, result, UNSURE_CRITIC);
  else deliver(working, nodeId, result);
}

const UNSURE_CRITIC = 'A critic passed this result, but was not sure enough';

/** Sets the result on the surface where every run has its results: outputs of the node, variables of the run. */
function deliver(working: WorkingRun, nodeId: string, result: Json): void {
  const node = working.plan.nodes.get(nodeId);
  if (node && ownAgent(node)) assign(working, nodeId, variablesOf(result));
  completeNode(working, nodeId, { result });
}

function variablesOf(result: Json): JsonObject {
  return { ...(isJsonObject(result) && result), result };
}

/** The threshold of the run, or else of the agent. */
function thresholdOf({ working, agent }: Invocation): number {
  const asked = working.run.configurable.escalationThreshold;
  if (typeof asked === 'number') return asked;
  return agent.confidence?.defaultThreshold ?? DEFAULT_CONFIDENCE_THRESHOLD;
}

/** First the escalation is recorded, then a person is asked. Until the answer, the result is not used. */
function escalate(
  invocation: Invocation,
  result: Json,
  confidence: number,
  threshold: number,
  decidedId: string,
): void {
  const { working, node, agent } = invocation;
  if (working.run.chainEvents) {
    const payload = {
      confidence,
      floor: Math.max(threshold, LOWEST_FLOOR),
      escalationKind: 'escalate' as const,
      workerId: agent.agentId,
      parentRunId: working.run.runId,
    };
    emit(working, 'core.workflowChain.confidence-escalated', payload, node.id, decidedId);
  }
  const title = `${agent.persona} is not sure enough of its result (${confidence}, at least ${threshold} is asked)`;
  askAbout(invocation, result, title);
}

function askAbout({ working, node, agent }: Invocation, result: Json, title: string): void {
  ask(working, node.id, (key) => ({
    kind: 'approval',
    key,
    data: {
      artifactId: key,
      artifactType: AGENT_DECISION,
      title,
      artifactData: result,
      actions: ['accept', 'edit-accept', 'reject'],
    },
    ...answerTime(agent),
  }));
}

/** After the answer of a person, the result is used as it is, used as edited, or the node fails. */
export function afterEscalation(answer: Answer): Finish | { readonly do: 'act'; readonly act: Deliver } {
  if (answer.outcome !== 'answered') {
    const error = runError(answer.outcome === 'timeout' ? 'interrupt_timeout' : 'approval_rejected');
    return { do: 'fail', error, retryable: false };
  }
  const given = answer.request.kind === 'approval' ? (answer.request.data.artifactData ?? null) : null;
  const { action, editedArtifactData } = answer.value;
  const result = action === 'edit-accept' ? (editedArtifactData ?? null) : given;
  return { do: 'act', act: (working, nodeId) => deliver(working, nodeId, result) };
}

type Deliver = (working: WorkingRun, nodeId: string) => void;

/** A result that a person edited must have the form that the model was asked for. */
export function problemWithEdit(invocation: Invocation, edited: Json | undefined) {
  const schema = resultSchema(invocation);
  return schema === undefined ? undefined : problemByAuthor(schema, edited ?? null);
}

/** A result that does not fit is never used: the node fails. */
export function failUnfit({ working, node }: Invocation, problem: string): void {
  closeInvocation(working, node.id, 'failed', { schemaValidated: false });
  failNode(
    working,
    node,
    runError('handoff_return_schema_violation', `The result does not fit: ${problem}.`),
  );
}
