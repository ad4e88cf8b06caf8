import { supervisorOf } from './handoff.mjs';
import { NOOP, NOOP_WORKFLOW } from './single-node.mjs';

/** Long loops with one child run in each turn. The worker does nothing, or performs a minimal effect. */

const EFFECT_WORKER = {
  id: 'bench-effect',
  nodes: [{ id: 'act', typeId: 'core.conformance.side-effect', config: {} }],
};

export const LOOP = 'bench-loop';
export const EFFECT_LOOP = 'bench-effect-loop';

export function loopWorkflows(turns) {
  return [
    NOOP_WORKFLOW,
    EFFECT_WORKER,
    supervisorOf(LOOP, NOOP, turns, {}),
    supervisorOf(EFFECT_LOOP, EFFECT_WORKER.id, turns, {}),
  ];
}
