import { type Json, type RunError, TRUNCATIONS, type Truncation } from '@baton/protocol';
import Type from 'typebox';

/**
 * What came of a model call, attempt by attempt. Whoever performs the call reads the answers and judges them;
 * the node records it. `value` is there when the last attempt was valid, and only then.
 */

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });

const Invalid = Type.Object(
  {
    kind: Type.Literal('invalid'),
    reason: Type.Unsafe<'parse-error' | 'schema-violation'>({
      enum: ['parse-error', 'schema-violation'],
    }),
    /** What is wrong, without a word of what the model said. */
    problem: Type.String(),
  },
  closed,
);

const Result = Type.Union([
  Type.Object({ kind: Type.Literal('valid') }, closed),
  Invalid,
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
  Type.Object(
    {
      kind: Type.Literal('error'),
      error: Type.Unsafe<RunError>({ type: 'object', required: ['code', 'message'] }),
      retryable: Type.Boolean(),
    },
    closed,
  ),
]);

export const ModelAttempt = Type.Object(
  {
    cacheKey: Type.String(),
    result: Result,
    usage: Type.Optional(Type.Object({ inputTokens: Count, outputTokens: Count }, closed)),
    /** The answer is one that was recorded before; nobody was asked. */
    reused: Type.Optional(Type.Boolean()),
    /** The answer stood in a fence of marks, which was taken off. */
    unfenced: Type.Optional(Type.Boolean()),
    /** Not a try of its own: the call that brings prose into form after the last try. */
    formats: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type ModelAttempt = Type.Static<typeof ModelAttempt>;

export const ModelOutcome = Type.Object(
  {
    attempts: Type.Array(ModelAttempt, { minItems: 1, maxItems: 17 }),
    value: Type.Optional(Type.Unsafe<Json>({})),
  },
  closed,
);
export type ModelOutcome = Type.Static<typeof ModelOutcome>;
