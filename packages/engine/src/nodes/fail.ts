import { RUN_ERROR_CODES } from '@baton/protocol';
import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

export const fail: NodeType = {
  typeId: 'core.fail',
  config: Type.Object(
    {
      code: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      message: Type.Optional(Type.String({ minLength: 1 })),
    },
    { additionalProperties: true },
  ),
  start: ({ config }) => {
    const code = typeof config.code === 'string' ? config.code : 'conformance_test_failure';
    const message =
      typeof config.message === 'string' ? config.message : RUN_ERROR_CODES.conformance_test_failure;
    return { do: 'fail', error: { code, message } };
  },
};
