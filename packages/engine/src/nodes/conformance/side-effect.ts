import Type from 'typebox';
import type { NodeType } from '../../kernel/model.ts';

/** The smallest node that performs an effect. */
export const sideEffect: NodeType = {
  typeId: 'core.conformance.side-effect',
  config: Type.Object({}, { additionalProperties: true }),
  start: ({ inputs }) => ({ do: 'effect', effect: { kind: 'conformance.side-effect', request: inputs } }),
};
