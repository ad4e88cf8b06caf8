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
import { type Invocation, ownAgent } from './invocation.ts';
import { resultSchema } from './result-schema.ts';

/** The end of an invocation with a result: the decision, the escalation if the agent is not sure, the outputs. */

export const AGENT_DECISION = 'agent-decision';

export function concludeWith(invocation: Invocation, result: Json): undefined {
  const { working, node, agent } = invocation;
  const nodeId = node.id;
  const confidence = confidenceIn(result);
  const stated = confidence === undefined ? {} : { confidence };
  const decidedId = emit(
    working,
    'agent.decided',
    { agentId: agent.agentId, decision: result, ...stated },
    nodeId,
  );
  const validated = resultSchema(invocation) === undefined ? {} : { schemaValidated: true };
  const threshold = thresholdOf(invocation);
  const isUnsure = confidence !== undefined && confidence < threshold;
  if (isUnsure && checks(working.run, 'confidence-escalation')) {
    closeInvocation(working, nodeId, 'escalated', { ...validated, confidence });
    escalate(invocation, result, confidence, threshold, decidedId);
    return;
  }
  closeInvocation(working, nodeId, 'completed', { ...validated, ...stated });
  deliver(working, nodeId, result);
}

/** Sets the result on the surface where every run has its results: outputs of the node, variables of the run. */
function deliver(working: WorkingRun, nodeId: string, result: Json): void {
  const node = working.plan.nodes.get(nodeId);
  if (node && ownAgent(node)) assign(working, nodeId, variablesOf(result));
  completeNode(working, nodeId, { result });
}

function variablesOf(result: Json): JsonObject {
  return { ...(isJsonObject(result) && result), result };
}

function confidenceIn(result: Json): number | undefined {
  if (!isJsonObject(result) || typeof result.confidence !== 'number') return undefined;
  const { confidence } = result;
  return confidence >= 0 && confidence <= 1 ? confidence : undefined;
}

/** The threshold of the run, or else of the agent. */
function thresholdOf({ working, agent }: Invocation): number {
  const asked = working.run.configurable.escalationThreshold;
  if (typeof asked === 'number') return asked;
  return agent.confidence?.defaultThreshold ?? DEFAULT_CONFIDENCE_THRESHOLD;
}

/** First the escalation is recorded, then a person is asked. Until the answer, the result is not used. */
function escalate(
  { working, node, agent }: Invocation,
  result: Json,
  confidence: number,
  threshold: number,
  decidedId: string,
): void {
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
  ask(working, node.id, (key) => ({
    kind: 'approval',
    key,
    data: {
      artifactId: key,
      artifactType: AGENT_DECISION,
      title: `${agent.persona} is not sure enough of its result (${confidence}, at least ${threshold} is asked)`,
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
