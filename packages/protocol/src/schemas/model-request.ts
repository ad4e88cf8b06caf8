import Type from 'typebox';
import type { Json } from '../json.ts';
import { LARGEST_COUNT, Ordinal } from './numbers.ts';
import { Bag } from './parts.ts';

/**
 * A model request: exactly the fields that can change the answer. Names of callers, traces and time limits
 * are not part of it, so that two requests with the same meaning are equal.
 */

const Part = Type.Unsafe<Readonly<Record<string, Json>>>({
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', minLength: 1 } },
});

export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** Open: further fields of a message are sent to the provider, so they are part of the request. */
export const ModelMessage = Type.Object({
  role: Type.Unsafe<MessageRole>({ enum: [...MESSAGE_ROLES] }),
  content: Type.Union([Type.String(), Type.Array(Part)]),
  name: Type.Optional(Type.String()),
  toolCallId: Type.Optional(Type.String()),
});
export type ModelMessage = Type.Static<typeof ModelMessage>;

export const ModelMessages = Type.Array(ModelMessage, { minItems: 1 });

export const ModelTool = Type.Object({
  name: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  parameters: Bag,
});
export type ModelTool = Type.Static<typeof ModelTool>;

export const ModelRequest = Type.Object({
  provider: Type.String({ pattern: '^[a-z][a-z0-9._-]*$', maxLength: 64 }),
  model: Type.String({ minLength: 1, maxLength: 256 }),
  messages: ModelMessages,
  tools: Type.Optional(Type.Array(ModelTool)),
  temperature: Type.Optional(Type.Number()),
  topP: Type.Optional(Type.Number()),
  topK: Type.Optional(Type.Number()),
  maxOutputTokens: Type.Optional(Ordinal),
  seed: Type.Optional(Type.Integer({ minimum: -LARGEST_COUNT, maximum: LARGEST_COUNT })),
  stop: Type.Optional(Type.Array(Type.String())),
  responseFormat: Type.Optional(
    Type.Object({
      type: Type.Unsafe<'text' | 'json' | 'tool_call'>({ enum: ['text', 'json', 'tool_call'] }),
      schema: Type.Optional(Bag),
    }),
  ),
  safetySettings: Type.Optional(Bag),
  /** Options of a single provider, as `vendor.<provider>.<option>`. */
  providerOptions: Type.Optional(Bag),
});
export type ModelRequest = Type.Static<typeof ModelRequest>;
