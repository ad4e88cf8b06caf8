import { MAX_WAIT_MS, runError } from '@baton/protocol';
import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

const Milliseconds = Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS }));

/**
 * Waits. The duration comes from the input `delayMs`, or else from the config, which accepts three names for
 * it.
 */
export const delay: NodeType = {
  typeId: 'core.delay',
  config: Type.Object(
    { delayMs: Milliseconds, ms: Milliseconds, durationMs: Milliseconds },
    { additionalProperties: false },
  ),
  start: ({ config, inputs }) => {
    const ms = inputs.delayMs ?? config.delayMs ?? config.ms ?? config.durationMs ?? 0;
    if (typeof ms !== 'number' || ms < 0 || ms > MAX_WAIT_MS) {
      return {
        do: 'fail',
        error: runError('input_missing', 'delayMs must be a number of milliseconds, from 0 to a year'),
      };
    }
    return { do: 'sleep', ms: Math.round(ms) };
  },
};
