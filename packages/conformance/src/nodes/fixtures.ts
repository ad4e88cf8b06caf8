import { delay, fail, failWith, type NodeType } from '@baton/engine/extension';
import Type from 'typebox';

/** The product's node, with the default error code that the fixtures of the protocol expect. */
export const fixtureFail: NodeType = {
  ...fail,
  start: ({ config }) => failWith(config, 'conformance_test_failure'),
};

/** Only waits. It performs no effect, so a replay waits again. */
export const hold: NodeType = {
  ...delay,
  typeId: 'core.conformance.hold',
  config: Type.Object({}, { additionalProperties: true }),
};

/** Requires a capability that no host provides, to show how a missing capability is reported. */
export const requiresMissing: NodeType = {
  typeId: 'conformance.requiresMissing',
  config: Type.Object({}, { additionalProperties: true }),
  requires: ['conformance.never-provided'],
  start: () => ({ do: 'complete' }),
};
