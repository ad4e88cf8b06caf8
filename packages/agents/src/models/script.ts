import { type Json, problemWith } from '@baton/protocol';
import Type from 'typebox';

/**
 * The script of the scripted provider: one entry for each model call of a conversation. It is in the request,
 * as the option `vendor.scripted.script`.
 */

const closed = { additionalProperties: false };
const Text = Type.String({ maxLength: 256 * 1024 });

const Entry = Type.Object(
  {
    /**
     * The entry is for conversations in which a message of the user or a result of a tool contains this text. An agent has a new
     * conversation each time it is invoked, so a supervisor with `"when": "\"iteration\": 2"` has an answer of its
     * own for its second turn.
     */
    when: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    /** The answer is this text. */
    text: Type.Optional(Text),
    /** The answer is the text of this value. */
    json: Type.Optional(Type.Unsafe<Json>({})),
    /** The answer calls these tools. An entry may have a text as well. */
    calls: Type.Optional(
      Type.Array(
        Type.Object(
          { tool: Type.String({ minLength: 1 }), input: Type.Optional(Type.Unsafe<Json>({})) },
          closed,
        ),
        { minItems: 1, maxItems: 64 },
      ),
    ),
    /** Reasoning before the answer. */
    reasoning: Type.Optional(Text),
    /** The model refuses with this text. */
    refusal: Type.Optional(Text),
    /** The call fails as with this HTTP status. */
    error: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ minimum: 400, maximum: 599 }),
          retryAfterMs: Type.Optional(Type.Integer({ minimum: 0 })),
        },
        closed,
      ),
    ),
    /** How often a call with the same key fails before the answer of the entry is given. Absent: always. */
    times: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    /** The connection is lost in the middle of the answer. */
    cut: Type.Optional(Type.Literal(true)),
    /** The answer ends because it is too long. */
    truncated: Type.Optional(Type.Literal(true)),
    /** How long the provider waits before it answers. */
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
  },
  closed,
);
export type ScriptEntry = Type.Static<typeof Entry>;

const Script = Type.Array(Entry, { minItems: 1, maxItems: 1000 });

const SCRIPT_OPTION = 'vendor.scripted.script';

/** The script of a request, or what is wrong with it. */
export function readScript(
  options: Readonly<Record<string, unknown>> | undefined,
): { readonly script?: readonly ScriptEntry[] } | { readonly wrong: string } {
  const given = options?.[SCRIPT_OPTION];
  if (given === undefined) return {};
  const problem = problemWith(Script, given);
  if (problem !== undefined) {
    return { wrong: `The script of the model is not valid: ${problem.field || 'it'} ${problem.problem}.` };
  }
  return { script: given as readonly ScriptEntry[] };
}
