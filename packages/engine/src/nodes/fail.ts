import { type JsonObject, RUN_ERROR_CODES, type RunErrorCode } from '@baton/protocol';
import Type from 'typebox';
import type { NodeType, Start } from '../kernel/model.ts';

export const fail: NodeType = {
  typeId: 'core.fail',
  config: Type.Object(
    {
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      message: Type.Optional(Type.String({ minLength: 1 })),
    },
    { additionalProperties: true },
  ),
  start: ({ config }) => failWith(config, 'node_failed'),
};

/** Fails with the code and the message of the config, or else with those of `usual`. */
export function failWith({ code, message }: JsonObject, usual: RunErrorCode): Start {
  const error = {
    code: typeof code === 'string' ? code : usual,
    message: typeof message === 'string' ? message : RUN_ERROR_CODES[usual],
  };
  return { do: 'fail', error };
}
