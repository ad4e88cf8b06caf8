import Type from 'typebox';
import { CausationHostId } from '../across-hosts.ts';
import { Count, Milliseconds } from '../numbers.ts';
import { AgentId, Any, Checksum, closed, ErrorObject, Id } from '../parts.ts';

/**
 * Events that describe how an agent works. `agent.invocation.started` and `agent.invocation.completed` enclose
 * the others of one invocation. Neither of the two holds a prompt or a result.
 */

export const INVOCATION_SOURCES = ['workflow-node', 'run-api', 'chat-mention'] as const;
export type InvocationSource = (typeof INVOCATION_SOURCES)[number];

/**
 * What a host does with the result of an agent, unless the operator has switched it off: it asks for the form of
 * the return schema and refuses any other result, and it asks a person about a result with a low confidence.
 */
export const AGENT_CHECKS = ['structured-output', 'confidence-escalation'] as const;
export type AgentCheck = (typeof AGENT_CHECKS)[number];

export const INVOCATION_OUTCOMES = ['completed', 'handed-off', 'escalated', 'refused', 'failed'] as const;
export type InvocationOutcome = (typeof INVOCATION_OUTCOMES)[number];

export const TOOL_STATUSES = ['ok', 'error', 'forbidden', 'rate_limited'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

export const TRANSPORTS = ['mcp', 'http', 'native'] as const;
export type Transport = (typeof TRANSPORTS)[number];

const PROMPT_LAYERS = ['node', 'agent-intrinsic', 'agent-overrides', 'agent-library-default'] as const;
const VERBOSITIES = ['summary', 'full', 'off'] as const;

const Confidence = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

export const AGENT_EVENT_PAYLOADS = {
  'agent.invocation.started': Type.Object(
    {
      /** Unique within the run. */
      invocationId: Id,
      agentId: AgentId,
      source: Type.Unsafe<InvocationSource>({ enum: [...INVOCATION_SOURCES] }),
      modelClass: Type.Optional(Type.String()),
      resolvedModel: Type.Optional(Type.String()),
      resolvedProvider: Type.Optional(Type.String()),
      resolvedAgentVersion: Type.Optional(Type.String()),
      toolSurfaceCount: Type.Optional(Count),
      memoryBound: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  'agent.invocation.completed': Type.Object(
    {
      invocationId: Id,
      agentId: AgentId,
      outcome: Type.Unsafe<InvocationOutcome>({ enum: [...INVOCATION_OUTCOMES] }),
      schemaValidated: Type.Optional(Type.Boolean()),
      confidence: Confidence,
      /** The run that the work was handed to. */
      enqueuedRunId: Type.Optional(Id),
    },
    closed,
  ),
  /** Where the prompt of an agent came from. It names prompts and never holds their text. */
  'agent.promptResolved': Type.Object(
    {
      nodeId: Id,
      kind: Type.Unsafe<'system' | 'user'>({ enum: ['system', 'user'] }),
      agentId: Type.Optional(AgentId),
      chain: Type.Array(
        Type.Object(
          {
            layer: Type.Unsafe<(typeof PROMPT_LAYERS)[number]>({ enum: [...PROMPT_LAYERS] }),
            applied: Type.Boolean(),
            source: Type.Optional(Type.String()),
            reason: Type.Optional(Type.String()),
          },
          closed,
        ),
      ),
      resolved: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      causationHostId: CausationHostId,
    },
    closed,
  ),
  'agent.reasoned': Type.Object(
    {
      agentId: AgentId,
      reasoning: Type.String(),
      verbosity: Type.Optional(Type.Unsafe<(typeof VERBOSITIES)[number]>({ enum: [...VERBOSITIES] })),
      causationHostId: CausationHostId,
    },
    closed,
  ),
  'agent.reasoning.delta': Type.Object({ agentId: AgentId, delta: Type.String(), sequence: Count }, closed),
  /** A live agent records the digest of the arguments in place of the arguments. */
  'agent.toolCalled': Type.Object(
    {
      agentId: AgentId,
      toolName: Id,
      callId: Id,
      inputs: Type.Optional(Any),
      argsHash: Type.Optional(Checksum),
      principal: Type.Optional(Id),
      transport: Type.Optional(Type.Unsafe<Transport>({ enum: [...TRANSPORTS] })),
      /** The host refused the call before it was made, so the call does not count for budgets. */
      made: Type.Optional(Type.Literal(false)),
      causationHostId: CausationHostId,
    },
    closed,
  ),
  'agent.toolReturned': Type.Object(
    {
      agentId: AgentId,
      toolName: Id,
      callId: Id,
      status: Type.Unsafe<ToolStatus>({ enum: [...TOOL_STATUSES] }),
      outcome: Type.Optional(Any),
      error: Type.Optional(ErrorObject),
      /** Absent when the tool was not called. */
      durationMs: Type.Optional(Milliseconds),
      causationHostId: CausationHostId,
    },
    closed,
  ),
  'agent.handoff': Type.Object(
    {
      fromAgentId: AgentId,
      toAgentId: AgentId,
      reason: Type.Optional(Type.String()),
      causationHostId: CausationHostId,
    },
    closed,
  ),
  'agent.decided': Type.Object(
    { agentId: AgentId, decision: Any, confidence: Confidence, causationHostId: CausationHostId },
    closed,
  ),
} as const;
