import type { Json } from '@baton/protocol';
import Type from 'typebox';

/**
 * The parts of an assistant's message and of the tool results after it. They are content of a model request,
 * so a request is built from recorded answers without any change to them.
 */

const closed = { additionalProperties: false };

/**
 * Data that only the provider understands, such as the signature of its reasoning. It goes back unchanged with
 * the same part, and only to the same provider.
 */
const Opaque = Type.Object({ provider: Type.String(), data: Type.Unsafe<Json>({}) }, closed);
export type Opaque = Type.Static<typeof Opaque>;

const TextPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String(), opaque: Type.Optional(Opaque) },
  closed,
);
const ReasoningPart = Type.Object(
  { type: Type.Literal('reasoning'), text: Type.String(), opaque: Type.Optional(Opaque) },
  closed,
);
const ToolCallPart = Type.Object(
  {
    type: Type.Literal('tool-call'),
    /** The id that the provider gave the call. */
    id: Type.String({ minLength: 1, maxLength: 512 }),
    /** The name of the tool as the model was told it. */
    name: Type.String({ maxLength: 512 }),
    /** Absent when the model's arguments are not JSON. */
    input: Type.Optional(Type.Unsafe<Json>({})),
    opaque: Type.Optional(Opaque),
  },
  closed,
);

export const SaidPart = Type.Union([TextPart, ReasoningPart, ToolCallPart]);
export type SaidPart = Type.Static<typeof SaidPart>;
export type ToolCallPart = Type.Static<typeof ToolCallPart>;

/** The content of a message with the role `tool`. */
export interface ToolResultPart {
  readonly type: 'tool-result';
  /** The id of the tool-call part that it answers. */
  readonly id: string;
  readonly name: string;
  readonly output: Json;
  readonly isError?: true;
}

export const SaidParts = Type.Array(SaidPart, { maxItems: 1000 });
