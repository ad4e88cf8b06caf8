import { hasPlan, type NodeType, type NodeView, supervisor } from '@baton/engine/extension';
import type { Json } from '@baton/protocol';

/**
 * The plan of a supervisor without a plan: one worker, which is a fixture of the protocol, then `terminate`.
 */
const DEFAULT_PLAN: Json = [
  { kind: 'next-worker', nextWorkerIds: ['conformance-noop'] },
  { kind: 'terminate', reason: 'default-plan-finished' },
];

/** The product's node, with a default plan. */
export const plannedSupervisor: NodeType = {
  ...supervisor,
  start: (view) => supervisor.start(hasPlan(view) ? view : withDefaultPlan(view)),
};

function withDefaultPlan(view: NodeView): NodeView {
  return { ...view, config: { ...view.config, mockDispatchPlan: DEFAULT_PLAN } };
}
