import Type from 'typebox';
import { Milliseconds, Ordinal } from '../numbers.ts';
import { Any, Bag, Checksum, closed, ErrorObject, Id } from '../parts.ts';

/** Events of effects: calls to the outside that a node asks for. A node may ask for many, one after the other. */

/** How often a failed effect is tried, and how long it waits in between. The wait doubles with each try. */
const EffectRetry = Type.Object(
  {
    /** The first try counts. */
    tries: Ordinal,
    backoffMs: Milliseconds,
    maxBackoffMs: Milliseconds,
  },
  closed,
);

/** An effect as it was intended, before it was performed. */
export const EffectIntent = Type.Object(
  {
    kind: Type.String({ minLength: 1 }),
    request: Any,
    /** The key of a model request (see llm-cache-key.ts). Equal requests have the same key on every host. */
    cacheKey: Type.Optional(Checksum),
    /** Without it, a failure of the effect is a failure of its node. */
    retry: Type.Optional(EffectRetry),
  },
  closed,
);
export type EffectIntent = Type.Static<typeof EffectIntent>;

/** A part of a text that an effect brings while it is under way. `channel` is the step of the effect. */
export const OutputChunk = Type.Object(
  { nodeId: Id, runId: Id, channel: Id, chunk: Type.String(), isLast: Type.Boolean() },
  closed,
);
export type OutputChunk = Type.Static<typeof OutputChunk>;

export const EFFECT_EVENT_PAYLOADS = {
  /** `step` numbers the effects of one attempt of a node, from 1. */
  'baton.effect.intended': Type.Object({ nodeId: Id, step: Ordinal, effect: EffectIntent }, closed),
  /** A try failed. The effect is performed again after `delayMs`; `tries` counts this next try too. */
  'baton.effect.retried': Type.Object(
    {
      nodeId: Id,
      step: Ordinal,
      tries: Ordinal,
      delayMs: Milliseconds,
      lastError: ErrorObject,
      /** What the failed try has cost, for example the tokens of a model. */
      spent: Type.Optional(Bag),
    },
    closed,
  ),
  /**
   * The outcome of an effect: `outputs`, or `error` when all tries failed. `retryable` is false when another attempt of the node would fail the same way.
   */
  'baton.effect.settled': Type.Object(
    {
      nodeId: Id,
      step: Ordinal,
      outputs: Type.Optional(Bag),
      error: Type.Optional(ErrorObject),
      retryable: Type.Optional(Type.Literal(false)),
      spent: Type.Optional(Bag),
    },
    closed,
  ),
  'output.chunk': OutputChunk,
} as const;
