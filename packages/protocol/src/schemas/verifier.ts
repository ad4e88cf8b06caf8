import Type from 'typebox';
import { closed } from './parts.ts';
import { MAX_WAIT_MS } from './workflow.ts';

/** A critic that judges a result before it is used. */

/** A name that is not a scope of this host grants nothing. The registration returns a warning for it. */
export const ScopeName = Type.String({ minLength: 1, maxLength: 256 });

const CRITIC = {
  /** The critic: a workflow or an agent. */
  workflowId: Type.String({ minLength: 1, maxLength: 256 }),
  criteria: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true, maxItems: 100 })),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
  principalScope: Type.Optional(Type.Array(ScopeName)),
} as const;

export const Verifier = Type.Object(
  { ...CRITIC, maxRevisions: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })) },
  closed,
);
export type Verifier = Type.Static<typeof Verifier>;

/** A result of a tool is used or withheld. It is never revised. */
const ToolVerifier = Type.Object(CRITIC, closed);
export type ToolVerifier = Type.Static<typeof ToolVerifier>;

/** Critics of tool results, by tool. A name that ends with `*` stands for all tools that begin with the rest. */
export const ToolVerifiers = Type.Record(Type.String({ minLength: 1, maxLength: 256 }), ToolVerifier, {
  maxProperties: 100,
});
export type ToolVerifiers = Type.Static<typeof ToolVerifiers>;

export function matchesTool(pattern: string, toolId: string): boolean {
  return pattern.endsWith('*') ? toolId.startsWith(pattern.slice(0, -1)) : pattern === toolId;
}

/** Whether there can be a tool that both patterns stand for. */
export function haveToolInCommon(one: string, other: string): boolean {
  const [first, second] = [one, other].map((pattern) => pattern.replace(/\*$/, '')) as [string, string];
  return matchesTool(one, second) || matchesTool(other, first);
}
