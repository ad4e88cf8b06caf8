import Type from 'typebox';
import { Count, LARGEST_COUNT, Ordinal } from './numbers.ts';

/** What is recorded of a call to a model: its cost, and why an answer was not taken. Never what was said. */

const closed = { additionalProperties: false };
const Id = Type.String({ minLength: 1 });
const Checksum = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** Why an answer of a model could not be used. */
export const ANSWER_FAULTS = ['parse-error', 'schema-violation', 'truncation'] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

export const TRUNCATIONS = ['max_tokens', 'length'] as const;
export type Truncation = (typeof TRUNCATIONS)[number];

export const MODEL_EVENT_PAYLOADS = {
  /** What one call of a model cost. With `cacheHit` it cost nothing, and the numbers are those of the call that did. */
  'provider.usage': Type.Object(
    {
      provider: Id,
      model: Id,
      inputTokens: Count,
      outputTokens: Count,
      cacheHit: Type.Optional(Type.Boolean()),
      nodeId: Type.Optional(Id),
    },
    closed,
  ),
  /** A model was asked again for the same intent, with another request, which therefore has a key of its own. */
  'baton.model.asked': Type.Object(
    { nodeId: Id, attempt: Type.Integer({ minimum: 2, maximum: LARGEST_COUNT }), cacheKey: Checksum },
    closed,
  ),
  /** Says what was wrong before in the words of the validator, never in those of the model. */
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
      /** Left out when it repeats what the model was asked. */
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
  /** The model spoke in prose to the end; one more call brings what it said into form. */
  'envelope.nlToFormat.engaged': Type.Object(
    { nodeId: Id, originalEnvelopeType: Id, fallbackCalls: Ordinal },
    closed,
  ),
  'envelope.recovery.applied': Type.Object(
    { nodeId: Id, path: Type.Unsafe<'markdown-fence'>({ enum: ['markdown-fence'] }) },
    closed,
  ),
} as const;
