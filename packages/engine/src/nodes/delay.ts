import { runError } from '@baton/protocol';
import Type from 'typebox';
import type { NodeType } from '../kernel/node-type.ts';

const Milliseconds = Type.Optional(Type.Integer({ minimum: 0 }));

/** Waits. The length may come from an input or, under any of its usual spellings, from the config. */
export const delay: NodeType = {
  typeId: 'core.delay',
  config: Type.Object(
    { delayMs: Milliseconds, ms: Milliseconds, durationMs: Milliseconds },
    { additionalProperties: false },
  ),
  start: ({ config, inputs }) => {
    const ms = inputs.delayMs ?? config.delayMs ?? config.ms ?? config.durationMs ?? 0;
    if (typeof ms !== 'number' || ms < 0) {
      return {
        do: 'fail',
        error: runError('input_missing', 'delayMs must be a number of milliseconds, 0 or more'),
      };
    }
    return { do: 'sleep', ms: Math.round(ms) };
  },
};
