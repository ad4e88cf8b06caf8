import { HANDOFF_WORKER, supervisorLoop } from './handoff.mjs';

/**
 * Runs that are long before and after a question in their middle. A branch from there waits for the same
 * answer, so that what it takes to make one is not mixed with what it does afterwards.
 */

const ASKER = {
  id: 'bench-asker',
  nodes: [{ id: 'gate', typeId: 'core.approvalGate', config: { title: 'May this go on?' } }],
  variables: HANDOFF_WORKER.variables,
};

/** Events that one turn adds to the log of the supervisor. */
const EVENTS_A_TURN = 11;
const NOTES = 'What was found out so far, in a few words for each source. '.repeat(64);

/** A workflow whose runs have at least so many events. */
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
