import { HANDOFF_WORKER, supervisorLoop } from './handoff.mjs';

/**
 * Long runs with an approval in their middle. A branch that begins there waits for the same answer, so that
 * only the time to create the branch is measured.
 */

const ASKER = {
  id: 'bench-asker',
  nodes: [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'May this go on?' } }],
  variables: HANDOFF_WORKER.variables,
};

/** Events that one turn adds to the log of the supervisor. */
const EVENTS_A_TURN = 11;
const NOTES = 'What was found out so far, in a few words for each source. '.repeat(64);

/** A workflow whose runs have at least the given number of events. */
export function longRun(id, events) {
  const half = new Array(Math.ceil(events / EVENTS_A_TURN / 2)).fill(HANDOFF_WORKER.id);
  const supervisor = supervisorLoop(id, [...half, ASKER.id, ...half], {
    inputMapping: { subject: 'topic' },
    outputMapping: { report: 'text' },
  });
  const notes = { name: 'notes', type: 'string', defaultValue: NOTES };
  return { ...supervisor, variables: [...supervisor.variables, notes] };
}

export const LONG_RUN_WORKERS = [HANDOFF_WORKER, ASKER];
