import { Agent, ErrorObject, type Json, type ModelMessage } from '@baton/protocol';
import Type from 'typebox';
import { ToolDescriptor, type ToolResult } from './tools.ts';

/**
 * The first effect of an invocation. It resolves the agent, its model and its tools. The outcome is recorded, so
 * an invocation depends on nothing that can change while it goes on.
 */
export const PREPARE = 'agent.prepare';

/** What of an agent decides about its model and its tools. */
export interface Needs
  extends Pick<Agent, 'modelClass' | 'model' | 'toolAllowlist' | 'handoffs' | 'memoryShape'> {}

export interface PrepareRequest {
  readonly agentId: string;
  /** The version of the agent that was the newest at this time. */
  readonly asOf: number;
  /** The agent of the run's own definition, which is not looked up. */
  readonly own?: Needs;
  /** The caller's choice of provider and model. */
  readonly ai?: { readonly provider?: string; readonly model?: string };
  /** The effect does not use the fields below. They are recorded here for the conversation. */
  readonly task: Json;
  readonly history?: readonly ModelMessage[];
  readonly memory?: readonly string[];
}

export const Prepared = Type.Object(
  {
    /** Absent when the definition of the run holds the agent. */
    agent: Type.Optional(Agent),
    version: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String({ minLength: 1 })),
    model: Type.Optional(Type.String({ minLength: 1 })),
    tools: Type.Optional(Type.Array(ToolDescriptor)),
    /** Tools that the agent may use and that cannot be reached now. */
    degraded: Type.Optional(Type.Array(Type.String())),
    /** Why the agent cannot be invoked. */
    problem: Type.Optional(ErrorObject),
  },
  { additionalProperties: false },
);

export type Prepared = Type.Static<typeof Prepared>;

export const MODEL_CALL = 'model.call';
export const TOOL_CALL = 'tool.call';

/** What the intent of a tool call records. */
export interface AskedTool {
  /** The step of the model call that asked for it, and the number of the call in the answer, from 0. */
  readonly of: number;
  readonly call: number;
  readonly tool: string;
  readonly name: string;
  readonly input: Json;
  readonly callId: string;
  readonly argsHash: string;
  /** The number of the event `agent.toolCalled`. Absent when readers were not told of the call. */
  readonly calledAt?: number;
  /** The key of the first call, when a person decided to repeat it. */
  readonly key?: string;
}

/** What came of a tool call. `unknown`: the host stopped during the call, so it may have happened. */
export type ToolOutcome = (ToolResult | { readonly status: 'forbidden' | 'unknown' }) & {
  readonly durationMs?: number;
  readonly reason?: string;
};

/** The tool with which an agent remembers something. The engine itself performs it. */
export const REMEMBER = 'baton:remember';

/** A tool that hands the work to another agent. The rest of the id is the id of that agent. */
const HANDOFF = 'handoff:';

export function handoffTool(agentId: string): string {
  return `${HANDOFF}${agentId}`;
}

/** The agent to which a call of this tool hands the work. */
export function handoffTarget(toolId: string): string | undefined {
  return toolId.startsWith(HANDOFF) ? toolId.slice(HANDOFF.length) : undefined;
}
