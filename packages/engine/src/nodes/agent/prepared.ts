import { Agent, ErrorObject, type Json, type ModelMessage } from '@baton/protocol';
import Type from 'typebox';
import { ToolDescriptor } from '../../ports/tools.ts';

/**
 * The first effect of an invocation. It resolves the agent, its model and its tools. The outcome is recorded, so
 * an invocation depends on nothing that can change while it goes on.
 */
export const PREPARE = 'agent.prepare';

export interface PrepareRequest {
  readonly agentId: string;
  /** The version of the agent that was the newest at this time. */
  readonly asOf: number;
  /** The agent of the run's own definition, which is not looked up. */
  readonly own?: {
    readonly modelClass: string;
    readonly model?: string;
    readonly toolAllowlist: readonly string[];
  };
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

export interface Ready {
  readonly version?: string;
  readonly provider: string;
  readonly model: string;
  readonly tools: readonly ToolDescriptor[];
}

export function readyOf({ version, provider, model, tools = [] }: Prepared): Ready | undefined {
  if (provider === undefined || model === undefined) return undefined;
  return { ...(version !== undefined && { version }), provider, model, tools };
}
