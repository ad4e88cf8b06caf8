import { type Json, type RunError, TRUNCATIONS, type Truncation } from '@baton/protocol';
import Type from 'typebox';

/**
 * The outcome of a model call, attempt by attempt. The performer of the effect reads and judges the answers,
 * and the node records the outcome. `value` is present only when the last attempt was valid.
 */

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });

const Invalid = Type.Object(
  {
    kind: Type.Literal('invalid'),
    reason: Type.Unsafe<'parse-error' | 'schema-violation'>({
      enum: ['parse-error', 'schema-violation'],
    }),
    /** A description of the problem that repeats no part of the answer. */
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
    /** The answer was taken from the cache, and no model was asked. */
    reused: Type.Optional(Type.Boolean()),
    /** The answer was enclosed in a code fence, which was removed. */
    unfenced: Type.Optional(Type.Boolean()),
    /** Not an attempt of its own: this call brings prose into the required form after the last attempt. */
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
