/** One supervisor that hands work to one worker, with a mapping in both directions, and then ends. */

export const HANDOFF_WORKER = {
  id: 'bench-writer',
  nodes: [
    {
      id: 'write',
      typeId: 'vendor.baton.set',
      config: { assign: { text: "'On ' + variables.subject" } },
    },
  ],
  variables: [
    { name: 'subject', type: 'string' },
    { name: 'text', type: 'string' },
  ],
};

export const HANDOFF = 'bench-handoff';

const SUPERVISOR = supervisorOf(HANDOFF, HANDOFF_WORKER.id, 1, {
  inputMapping: { subject: 'topic' },
  outputMapping: { report: 'text' },
});

export const HANDOFF_WORKFLOWS = [HANDOFF_WORKER, SUPERVISOR];

/** A supervisor that hands work to the same worker for the given number of turns, and then ends. */
export function supervisorOf(id, workerId, turns, dispatch) {
  return supervisorLoop(id, new Array(turns).fill(workerId), dispatch);
}

/** A supervisor that hands work to one worker after the other, and then ends. */
export function supervisorLoop(id, workerIds, dispatch) {
  const handOver = (workerId) => ({ kind: 'next-worker', nextWorkerIds: [workerId], confidence: 0.9 });
  return {
    id,
    nodes: [
      {
        id: 'lead',
        typeId: 'core.orchestrator.supervisor',
        config: {
          script: [...workerIds.map(handOver), { kind: 'terminate', reason: 'done' }],
        },
      },
      { id: 'hand-out', typeId: 'core.dispatch', config: dispatch },
    ],
    edges: [
      { sourceNodeId: 'lead', targetNodeId: 'hand-out' },
      { sourceNodeId: 'hand-out', targetNodeId: 'lead' },
    ],
    variables: [
      { name: 'topic', type: 'string', defaultValue: 'tides' },
      { name: 'report', type: 'string' },
    ],
  };
}
