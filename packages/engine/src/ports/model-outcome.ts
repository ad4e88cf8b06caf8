import { type Json, TRUNCATIONS, type Truncation } from '@baton/protocol';
import Type from 'typebox';
import { SaidParts } from './said-parts.ts';

/**
 * The outcome of one model call. The performer of the effect reads and judges the answer, and the node
 * records the outcome and decides whether to ask again.
 */

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });

const Result = Type.Union([
  Type.Object({ kind: Type.Literal('valid') }, closed),
  /** The answer to a request without a required form. It is in `parts`. */
  Type.Object({ kind: Type.Literal('said') }, closed),
  Type.Object(
    {
      kind: Type.Literal('invalid'),
      reason: Type.Unsafe<'parse-error' | 'schema-violation'>({
        enum: ['parse-error', 'schema-violation'],
      }),
      /** A description of the problem that repeats no part of the answer. */
      problem: Type.String(),
      /** The answer is text without JSON. The model may have answered, but not in the required form. */
      prose: Type.Optional(Type.Literal(true)),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('truncated'),
      stopReason: Type.Unsafe<Truncation>({ enum: [...TRUNCATIONS] }),
    },
    closed,
  ),
  Type.Object(
    {
      kind: Type.Literal('refused'),
      text: Type.Optional(Type.String()),
      category: Type.Optional(Type.String()),
    },
    closed,
  ),
]);

export const ModelOutcome = Type.Object(
  {
    result: Result,
    usage: Type.Optional(
      Type.Object(
        {
          inputTokens: Count,
          outputTokens: Count,
          cacheReadTokens: Type.Optional(Count),
          cacheWriteTokens: Type.Optional(Count),
          reasoningTokens: Type.Optional(Count),
        },
        closed,
      ),
    ),
    /** An estimate by the host's table of prices. Absent for a model without a known price. */
    costUsd: Type.Optional(Type.Number({ minimum: 0 })),
    /** The provider and model that answered in place of those that were asked for. */
    substitute: Type.Optional(Type.Object({ provider: Type.String(), model: Type.String() }, closed)),
    /** The answer as the provider must get it back. */
    parts: Type.Optional(SaidParts),
    /** What the provider did differently from the request. */
    notes: Type.Optional(Type.Array(Type.String(), { maxItems: 20 })),
    /** The answer was taken from the cache, and no model was asked. */
    reused: Type.Optional(Type.Boolean()),
    /** The answer was enclosed in a code fence, which was removed. */
    unfenced: Type.Optional(Type.Boolean()),
    /** The value of a valid answer, or the text of one in prose. Its name is that of the node's output. */
    data: Type.Optional(Type.Unsafe<Json>({})),
  },
  closed,
);
export type ModelOutcome = Type.Static<typeof ModelOutcome>;
