import type { NodeType } from '@baton/engine/extension';
import Type from 'typebox';

/** Requires a capability that no host provides, to show how a missing capability is reported. */
export const requiresMissing: NodeType = {
  typeId: 'conformance.requiresMissing',
  config: Type.Object({}, { additionalProperties: true }),
  requires: ['conformance.never-provided'],
  start: () => ({ do: 'complete' }),
};
