import { fail, failWith, type NodeType } from '@baton/engine/extension';

/** The product's node, with the default error code that the fixtures of the protocol expect. */
export const fixtureFail: NodeType = {
  ...fail,
  start: ({ config }) => failWith(config, 'conformance_test_failure'),
};
