import { FREEZES } from '../../tests/attacks/freezes.mjs';
import { supervisorOf } from './handoff.mjs';
import { NOOP, NOOP_WORKFLOW } from './single-node.mjs';

/**
 * What one tenant does while another one wants its runs done. `first` is sent once and `again` over and over, by as
 * many connections as `inFlight` says.
 */

const register = (body) => ({ path: '/v1/workflows', body });
const run = (workflowId, more = {}) => ({ path: '/v1/runs', body: { workflowId, ...more } });

/** Workflows that once stalled the host: registered over and over where they are refused, else run over and over. */
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
