import type { Json, JsonObject, RunError } from '@baton/protocol';
import Type from 'typebox';

/** Tools that agents can call. The engine decides whether a call is allowed; an adapter performs it. */

const closed = { additionalProperties: false };
const Schema = Type.Unsafe<JsonObject>({ type: 'object' });

/** A tool as an invocation of an agent records it before its first model call. */
export const ToolDescriptor = Type.Object(
  {
    /** As in a `toolAllowlist`, for example `mcp:files/read_file`; or `handoff:` and the id of an agent. */
    id: Type.String({ minLength: 1, maxLength: 264 }),
    /** The name that the model is told. Unique among the tools of an invocation. */
    name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,64}$' }),
    description: Type.Optional(Type.String()),
    /** The JSON Schema of the arguments. */
    parameters: Schema,
    /** The JSON Schema of the result. */
    returns: Type.Optional(Schema),
    transport: Type.Unsafe<'native' | 'http' | 'mcp'>({ enum: ['native', 'http', 'mcp'] }),
    /** Whether a call may be repeated when its outcome was lost. */
    repeatable: Type.Unsafe<'yes' | 'no' | 'unknown'>({ enum: ['yes', 'no', 'unknown'] }),
    /** A person must approve each call. */
    approval: Type.Optional(Type.Literal('always')),
    /** Scopes that the run must have. */
    scopes: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);
export type ToolDescriptor = Type.Static<typeof ToolDescriptor>;

export interface ToolSurface {
  readonly tools: readonly ToolDescriptor[];
  /** Allowed tools that cannot be reached now, or that are not installed. */
  readonly degraded: readonly string[];
}

export interface Tools {
  /** The tools with these ids. An id that ends with `*` stands for all tools that begin with the rest. */
  surface(tenant: string, allowed: readonly string[]): Promise<ToolSurface>;
  call(call: ToolCall): Promise<ToolResult>;
}

export interface ToolCall {
  readonly id: string;
  readonly input: JsonObject;
  readonly tenant: string;
  readonly principal: string;
  /** Stable over crashes, for tools that recognise a repeated call. */
  readonly key: string;
  /** The W3C trace context of the call. */
  readonly traceparent?: string;
  /** Aborted when the result is no longer awaited. */
  readonly signal: AbortSignal;
}

export type ToolResult =
  | { readonly status: 'ok'; readonly output: Json }
  /** The tool was called and reported a failure, or could not be reached. The model is told. */
  | { readonly status: 'error'; readonly error: RunError }
  | { readonly status: 'rate_limited'; readonly retryAfterMs?: number };
