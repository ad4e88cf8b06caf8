import {
  ask,
  completeNode,
  DEFAULT_CONFIDENCE_THRESHOLD,
  emit,
  type NodeType,
  type WorkingRun,
} from '@baton/engine/extension';
import { isJsonObject, type Json, type JsonObject, runError } from '@baton/protocol';
import Type from 'typebox';

const closed = { additionalProperties: false };
const Any = Type.Unsafe<Json>({});

/** A step must be short, so an agent records only so many events of one kind. */
const MAX_SCRIPTED = 1000;

const Config = Type.Object(
  {
    agentId: Type.Optional(Type.String({ minLength: 3, maxLength: 256 })),
    mockReasoning: Type.Optional(
      Type.Union([
        Type.Boolean(),
        Type.Object(
          {
            summary: Type.String(),
            trace: Type.Optional(Type.String()),
            tokenCount: Type.Optional(Type.Integer({ minimum: 0 })),
            streamChunks: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_SCRIPTED })),
          },
          closed,
        ),
      ]),
    ),
    mockToolCalls: Type.Optional(
      Type.Array(
        Type.Object(
          {
            toolId: Type.String({ minLength: 1 }),
            arguments: Type.Optional(Any),
            result: Type.Optional(Any),
            error: Type.Optional(Type.Object({ error: Type.String(), message: Type.String() })),
            durationMs: Type.Optional(Type.Integer({ minimum: 0 })),
          },
          closed,
        ),
        { maxItems: MAX_SCRIPTED },
      ),
    ),
    mockHandoff: Type.Optional(
      Type.Object(
        {
          toAgentId: Type.String({ minLength: 3 }),
          reason: Type.Optional(Type.String()),
          context: Type.Optional(Any),
        },
        closed,
      ),
    ),
    mockDecision: Type.Optional(
      Type.Object(
        {
          decision: Any,
          confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
          reasoning: Type.Optional(Type.String()),
        },
        closed,
      ),
    ),
    mockConfidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  closed,
);
type MockAgentConfig = Type.Static<typeof Config>;

/** A scripted agent. It records events in the order of a live agent: reasoning, tools, handoff, decision. */
export const mockAgent: NodeType = {
  typeId: 'core.conformance.mock-agent',
  config: Config,
  start: ({ config, node, run }) => ({
    do: 'act',
    act: (working, nodeId) => {
      const script = config as unknown as MockAgentConfig;
      const agentId = script.agentId ?? node.agent?.agentId ?? `baton.agent.${nodeId}`;
      reason(working, nodeId, agentId, script.mockReasoning);
      useTools(working, nodeId, agentId, script.mockToolCalls ?? []);
      if (script.mockHandoff) {
        const { toAgentId, reason: why } = script.mockHandoff;
        emit(
          working,
          'agent.handoff',
          { fromAgentId: agentId, toAgentId, ...(why && { reason: why }) },
          nodeId,
        );
      }
      decide(working, nodeId, agentId, script, run.configurable);
    },
  }),
  answered: ({ config }, answer) => {
    if (answer.outcome === 'answered') {
      return { do: 'complete', outputs: decisionOutputs(config as unknown as MockAgentConfig) };
    }
    const error = runError(answer.outcome === 'timeout' ? 'interrupt_timeout' : 'approval_rejected');
    return { do: 'fail', error, retryable: false };
  },
};

function reason(
  working: WorkingRun,
  nodeId: string,
  agentId: string,
  script: MockAgentConfig['mockReasoning'],
): void {
  if (script === undefined || script === false) return;
  const given = script === true ? { summary: 'Scripted reasoning.' } : script;
  const chunks = ('streamChunks' in given && given.streamChunks) || [];
  chunks.forEach((delta, sequence) => {
    emit(working, 'agent.reasoning.delta', { agentId, delta, sequence }, nodeId);
  });
  const reasoning = chunks.length > 0 ? chunks.join('') : given.summary;
  emit(working, 'agent.reasoned', { agentId, reasoning, verbosity: 'summary' }, nodeId);
}

function useTools(
  working: WorkingRun,
  nodeId: string,
  agentId: string,
  calls: NonNullable<MockAgentConfig['mockToolCalls']>,
): void {
  calls.forEach((call, index) => {
    const callId = `${nodeId}:call:${index + 1}`;
    const named = { agentId, toolName: call.toolId, callId };
    const inputs = call.arguments === undefined ? {} : { inputs: call.arguments };
    const called = emit(working, 'agent.toolCalled', { ...named, ...inputs }, nodeId);
    const result = call.error
      ? { status: 'error' as const, error: { code: call.error.error, message: call.error.message } }
      : { status: 'ok' as const, ...(call.result !== undefined && { outcome: call.result }) };
    const timing = call.durationMs === undefined ? {} : { durationMs: call.durationMs };
    emit(working, 'agent.toolReturned', { ...named, ...result, ...timing }, nodeId, called);
  });
}

function decide(
  working: WorkingRun,
  nodeId: string,
  agentId: string,
  script: MockAgentConfig,
  configurable: JsonObject,
): void {
  if (script.mockDecision === undefined) {
    completeNode(working, nodeId);
    return;
  }
  const { decision } = script.mockDecision;
  const confidence = script.mockDecision.confidence ?? script.mockConfidence;
  emit(
    working,
    'agent.decided',
    { agentId, decision, ...(confidence !== undefined && { confidence }) },
    nodeId,
  );
  const asked = configurable.escalationThreshold;
  const threshold = typeof asked === 'number' ? asked : DEFAULT_CONFIDENCE_THRESHOLD;
  if (confidence === undefined || confidence >= threshold) {
    completeNode(working, nodeId, decisionOutputs(script));
    return;
  }
  const data = { agentId, threshold, observed: confidence, decision };
  ask(working, nodeId, (key) => ({ kind: 'low-confidence', key, data }));
}

function decisionOutputs(script: MockAgentConfig): JsonObject {
  const decision = script.mockDecision?.decision;
  return decision === undefined ? {} : { decision: isJsonObject(decision) ? decision : (decision as Json) };
}
