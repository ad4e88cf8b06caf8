import {
  ExternalEventData,
  type Json,
  type JsonObject,
  MAX_WAIT_MS,
  type SuspendRequest,
} from '@baton/protocol';
import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';
import { concludeWithValue } from './clarification-gate.ts';

const timing = {
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_WAIT_MS })),
  resumeSchema: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object' })),
};

const External = Type.Object(
  { kind: Type.Literal('external-event'), data: ExternalEventData, ...timing },
  { additionalProperties: false },
);
const Custom = Type.Object(
  {
    kind: Type.Literal('custom'),
    data: Type.Object(
      { customKind: Type.String({ minLength: 1 }), payload: Type.Optional(Type.Unsafe<Json>({})) },
      { additionalProperties: false },
    ),
    ...timing,
  },
  { additionalProperties: false },
);

/**
 * Waits for another system (`external-event`), or for an answer of a kind that the author defines (`custom`).
 */
export const interrupt: NodeType = {
  typeId: 'core.interrupt',
  config: Type.Unsafe({
    type: 'object',
    required: ['kind'],
    discriminator: { propertyName: 'kind' },
    oneOf: [External, Custom],
  }),
  start: ({ config }) => ({ do: 'ask', request: (key) => ({ ...config, key }) as SuspendRequest }),
  answered: (_node, answer) => concludeWithValue(answer),
};
