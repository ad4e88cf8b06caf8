import Type from 'typebox';
import { Count, Milliseconds } from '../numbers.ts';
import { AgentId, Any, closed, ErrorObject, Id } from '../parts.ts';

/** Events that describe how an agent works. They do not change the state of a run. */

export const AGENT_EVENT_PAYLOADS = {
  'agent.reasoned': Type.Object(
    { agentId: AgentId, reasoning: Type.String(), verbosity: Type.Optional(Type.String()) },
    closed,
  ),
  'agent.reasoning.delta': Type.Object({ agentId: AgentId, delta: Type.String(), sequence: Count }, closed),
  'agent.toolCalled': Type.Object(
    { agentId: AgentId, toolName: Id, callId: Id, inputs: Type.Optional(Any) },
    closed,
  ),
  'agent.toolReturned': Type.Object(
    {
      agentId: AgentId,
      toolName: Id,
      callId: Id,
      status: Type.Unsafe<'ok' | 'error'>({ enum: ['ok', 'error'] }),
      outcome: Type.Optional(Any),
      error: Type.Optional(ErrorObject),
      durationMs: Type.Optional(Milliseconds),
    },
    closed,
  ),
  'agent.handoff': Type.Object(
    { fromAgentId: AgentId, toAgentId: AgentId, reason: Type.Optional(Type.String()) },
    closed,
  ),
  'agent.decided': Type.Object(
    { agentId: AgentId, decision: Any, confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })) },
    closed,
  ),
} as const;
