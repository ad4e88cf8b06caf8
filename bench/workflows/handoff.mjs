/** One supervisor that hands work to one worker, with a mapping each way, and then ends. */

const WORKER = {
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

const SUPERVISOR = supervisorOf(HANDOFF, WORKER.id, 1, {
  inputMapping: { subject: 'topic' },
  outputMapping: { report: 'text' },
});

export const HANDOFF_WORKFLOWS = [WORKER, SUPERVISOR];

/** A supervisor that hands work to the same worker for so many turns, and then ends. */
export function supervisorOf(id, workerId, turns, dispatch) {
  const handOver = { kind: 'next-worker', nextWorkerIds: [workerId], confidence: 0.9 };
  return {
    id,
    nodes: [
      {
        id: 'lead',
        typeId: 'core.orchestrator.supervisor',
        config: {
          mockDispatchPlan: [...new Array(turns).fill(handOver), { kind: 'terminate', reason: 'done' }],
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
