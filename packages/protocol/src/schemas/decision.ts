import Type from 'typebox';
import { closed } from './parts.ts';

/**
 * What a supervisor may decide in one turn. `clarify` and `escalate` come from the protocol's text about the
 * execution model, the other three kinds from its decision schema. Each decision is recorded as it was given.
 */
const Confidence = Type.Optional(Type.Number({ minimum: 0, maximum: 1 }));

const NextWorker = Type.Object(
  {
    kind: Type.Literal('next-worker'),
    nextWorkerIds: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { minItems: 1, maxItems: 256 }),
    confidence: Confidence,
  },
  closed,
);

export const SuccessCriterion = Type.Object(
  { key: Type.String({ minLength: 1 }), met: Type.Boolean() },
  closed,
);

const Terminate = Type.Object(
  {
    kind: Type.Literal('terminate'),
    reason: Type.Optional(Type.String({ minLength: 1 })),
    confidence: Confidence,
    successCriteria: Type.Optional(Type.Array(SuccessCriterion)),
  },
  closed,
);

const AskUser = Type.Object(
  { kind: Type.Literal('ask-user'), prompt: Type.String({ minLength: 1 }) },
  closed,
);

const Clarify = Type.Object({ kind: Type.Literal('clarify'), prompt: Type.String({ minLength: 1 }) }, closed);

const Escalate = Type.Object(
  {
    kind: Type.Literal('escalate'),
    prompt: Type.Optional(Type.String({ minLength: 1 })),
    reason: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);

/** A discriminated union, so that an error names a field of the given kind. */
export const Decision = Type.Unsafe<
  | Type.Static<typeof NextWorker>
  | Type.Static<typeof Terminate>
  | Type.Static<typeof AskUser>
  | Type.Static<typeof Clarify>
  | Type.Static<typeof Escalate>
>({
  type: 'object',
  required: ['kind'],
  discriminator: { propertyName: 'kind' },
  oneOf: [NextWorker, Terminate, AskUser, Clarify, Escalate],
});

export type Decision = Type.Static<typeof Decision>;
export type DecisionKind = Decision['kind'];
