import { FREEZES } from '../../tests/attacks/freezes.mjs';
import { supervisorOf } from './handoff.mjs';
import { NOOP, NOOP_WORKFLOW } from './single-node.mjs';

/**
 * Attacks by one tenant while the runs of another tenant are timed. `first` is sent once. `again` is sent
 * repeatedly, over `inFlight` connections.
 */

const register = (body) => ({ path: '/v1/workflows', body });
const run = (workflowId, more = {}) => ({ path: '/v1/runs', body: { workflowId, ...more } });

/** Workflows that once froze the host. Their runs are repeated, or their registration if it is refused. */
const freezes = FREEZES.map(({ name, definition, run: given, outcome }) => ({
  name,
  first: [register(definition)],
  again: [outcome.kind === 'refused' ? register(definition) : run(definition.id, given)],
  inFlight: 4,
}));

const LOOPS = 20;
const TURNS = 5000;
const LOOP = 'attack-loop';

const loops = {
  name: `${LOOPS} loops that do not end`,
  first: [
    register(NOOP_WORKFLOW),
    register(supervisorOf(LOOP, NOOP, TURNS, {})),
    ...Array.from({ length: LOOPS }, () => run(LOOP)),
  ],
  again: [run(LOOP)],
};

const WIDTH = 30;
const GATE = { id: 'attack-gate', nodes: [{ id: 'gate', typeId: 'core.approvalGate' }] };
const parents = (id, workflowId) => ({
  id,
  nodes: Array.from({ length: WIDTH }, (_, n) => ({
    id: `n${n}`,
    typeId: 'core.subWorkflow',
    config: { workflowId },
  })),
});

const waiting = {
  name: `a tree of ${1 + WIDTH + WIDTH * WIDTH} runs that all wait`,
  first: [
    register(GATE),
    register(parents('attack-middle', GATE.id)),
    register(parents('attack-wide', 'attack-middle')),
    run('attack-wide'),
  ],
};

export const ATTACKS = [...freezes, waiting, loops];
