import { type NodeTypes, nodeTypes, PRODUCT_NODES } from '@baton/engine/extension';
import { fixtureFail, hold, requiresMissing } from './fixtures.ts';
import { probingIdentity } from './identity.ts';
import { mockAgent } from './mock-agent.ts';
import { sideEffect } from './side-effect.ts';
import { fixtureSupervisor } from './supervisor.ts';

/**
 * The node types of the product and those for conformance suites, some of which replace types of the product.
 */
export const CONFORMANCE_NODES: NodeTypes = nodeTypes([
  ...PRODUCT_NODES.all,
  fixtureFail,
  hold,
  mockAgent,
  probingIdentity,
  fixtureSupervisor,
  requiresMissing,
  sideEffect,
]);
