import Type from 'typebox';
import type { NodeType } from '../../kernel/model.ts';
import { delay } from '../delay.ts';

/** Only waits. It performs no effect, so a replay waits again. */
export const hold: NodeType = {
  ...delay,
  typeId: 'core.conformance.hold',
  config: Type.Object({}, { additionalProperties: true }),
};
