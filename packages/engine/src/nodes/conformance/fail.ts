import type { NodeType } from '../../kernel/model.ts';
import { fail, failWith } from '../fail.ts';

/** The product's node, with the default error code that the fixtures of the protocol expect. */
export const fixtureFail: NodeType = {
  ...fail,
  start: ({ config }) => failWith(config, 'conformance_test_failure'),
};
