import type { Conformance } from './driver/conformance.ts';
import { togglesOf } from './driver/toggles.ts';
import { emit } from './kernel/working-run.ts';
import { CONFORMANCE_NODES } from './nodes/conformance/index.ts';

/** Everything in the engine that only conformance suites use. The product does not load it. */
export const CONFORMANCE: Conformance = {
  nodes: CONFORMANCE_NODES,
  toggles: togglesOf,
  setVariables(working, variables) {
    for (const [name, next] of Object.entries(variables)) emit(working, 'variable.changed', { name, next });
  },
};
