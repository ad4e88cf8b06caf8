import { delay, type NodeType } from '@baton/engine/extension';
import Type from 'typebox';

/** Only waits. It performs no effect, so a replay waits again. */
export const hold: NodeType = {
  ...delay,
  typeId: 'core.conformance.hold',
  config: Type.Object({}, { additionalProperties: true }),
};
