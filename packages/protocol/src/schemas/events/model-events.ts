import Type from 'typebox';
import { Count, Ordinal } from '../numbers.ts';
import { closed, Id } from '../parts.ts';

/** Events about calls to a model: the cost, and why an answer was not used. They never hold the answer. */

/** Why an answer of a model could not be used. */
export const ANSWER_FAULTS = ['parse-error', 'schema-violation', 'truncation'] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

export const TRUNCATIONS = ['max_tokens', 'length'] as const;
export type Truncation = (typeof TRUNCATIONS)[number];

export const MODEL_EVENT_PAYLOADS = {
  /** The cost of one model call. With `cacheHit` there was no call; the numbers are of the original call. */
  'provider.usage': Type.Object(
    {
      provider: Id,
      model: Id,
      inputTokens: Count,
      outputTokens: Count,
      /** Parts of `inputTokens`. */
      cacheReadTokens: Type.Optional(Count),
      cacheWriteTokens: Type.Optional(Count),
      /** An estimate at the time of the call. Absent when the price of the model is not known. */
      costEstimateUsd: Type.Optional(Type.Number({ minimum: 0 })),
      cacheHit: Type.Optional(Type.Boolean()),
      nodeId: Type.Optional(Id),
    },
    closed,
  ),
  /** Another model answered in place of the one that was asked for, because its provider failed. */
  'baton.model.substituted': Type.Object(
    { nodeId: Id, provider: Id, model: Id, fallbackProvider: Id, fallbackModel: Id },
    closed,
  ),
  /** `previousError` is the message of the validator. It never quotes the model. */
  'envelope.retry.attempted': Type.Object(
    {
      nodeId: Id,
      attempt: Type.Integer({ minimum: 2, maximum: 16 }),
      reason: Type.Unsafe<AnswerFault>({ enum: [...ANSWER_FAULTS] }),
      previousError: Type.Optional(Type.String()),
    },
    closed,
  ),
  'envelope.retry.exhausted': Type.Object(
    {
      nodeId: Id,
      totalAttempts: Ordinal,
      finalReason: Type.Unsafe<AnswerFault>({ enum: [...ANSWER_FAULTS] }),
      finalError: Type.Optional(Type.String()),
    },
    closed,
  ),
  'envelope.refusal': Type.Object(
    {
      nodeId: Id,
      provider: Id,
      model: Id,
      /** Absent if it repeats the request. */
      refusalText: Type.Optional(Type.String()),
      safetyCategory: Type.Optional(Type.String()),
    },
    closed,
  ),
  'envelope.truncated': Type.Object(
    {
      nodeId: Id,
      provider: Id,
      model: Id,
      stopReason: Type.Unsafe<Truncation>({ enum: [...TRUNCATIONS] }),
      partialPayloadAvailable: Type.Boolean(),
      outputTokenCount: Type.Optional(Count),
    },
    closed,
  ),
  /** All answers were prose. One more call asks the model to convert the last one into the required form. */
  'envelope.nlToFormat.engaged': Type.Object(
    { nodeId: Id, originalEnvelopeType: Id, fallbackCalls: Ordinal },
    closed,
  ),
  'envelope.recovery.applied': Type.Object(
    { nodeId: Id, path: Type.Unsafe<'markdown-fence'>({ enum: ['markdown-fence'] }) },
    closed,
  ),
} as const;
