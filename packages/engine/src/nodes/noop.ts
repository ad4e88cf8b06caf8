import Type from 'typebox';
import type { NodeType } from '../kernel/model.ts';

export const noop: NodeType = {
  typeId: 'core.noop',
  config: Type.Object({}, { additionalProperties: true }),
  start: () => ({ do: 'complete' }),
};
