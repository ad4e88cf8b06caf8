import Type from 'typebox';
import type { NodeType } from '../../kernel/model.ts';

/** Requires a capability that no host provides, to show how a missing capability is reported. */
export const requiresMissing: NodeType = {
  typeId: 'conformance.requiresMissing',
  config: Type.Object({}, { additionalProperties: true }),
  requires: ['conformance.never-provided'],
  start: () => ({ do: 'complete' }),
};
