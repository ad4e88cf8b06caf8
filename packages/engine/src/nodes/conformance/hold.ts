import Type from 'typebox';
import type { NodeType } from '../../kernel/model.ts';
import { delay } from '../delay.ts';

/** A wait and nothing else, which a replay therefore waits again. */
export const hold: NodeType = {
  ...delay,
  typeId: 'core.conformance.hold',
  config: Type.Object({}, { additionalProperties: true }),
};
