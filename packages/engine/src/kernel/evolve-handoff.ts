import type { EventOf } from '@baton/protocol';
import { type Handoff, type HandoffState, type Run, setWait, type Wait } from './run.ts';

/** The part of the fold that moves a dispatch node's live handoff. */

type WaitForWorkers = Extract<Wait, { for: 'workers' }>;

const STATE_AFTER = {
  'dispatch.began': 'dispatching',
  'dispatch.succeeded': 'running',
  'dispatch.failed': 'failed',
  'child.completed': 'completed',
  'child.failed': 'failed',
  'child.cancelled': 'cancelled',
  'output.harvested': 'harvested',
} as const satisfies Record<string, HandoffState>;

export function evolveChain(run: Run, event: EventOf<'core.workflowChain.event'>): Run {
  const { phase, workerId, childRunId } = event.payload;
  return moveWorkers(run, event.nodeId, (wait) => ({
    ...wait,
    began: phase === 'dispatch.began' ? wait.began + 1 : wait.began,
    handoff: {
      workerId,
      state: STATE_AFTER[phase],
      lastId: event.eventId,
      ...(childRunId !== undefined && { childRunId }),
    },
  }));
}

/** A child exists. Without chain events this is also where its handoff begins to run. */
export function evolveDispatched(run: Run, event: EventOf<'node.dispatched'>): Run {
  const { childRunId, childWorkflowId } = event.payload;
  const counted = { ...run, children: run.children + 1 };
  const state = event.nodeId === undefined ? undefined : run.nodes[event.nodeId];
  if (state?.status !== 'running' || event.nodeId === undefined) return counted;
  if (state.wait.for !== 'workers') {
    return setWait(counted, event.nodeId, { for: 'child', childRunId });
  }
  if (run.chainEvents) return counted;
  return moveWorkers(counted, event.nodeId, (wait) => ({
    ...wait,
    began: wait.began + 1,
    handoff: { workerId: childWorkflowId, state: 'running', lastId: event.eventId, childRunId },
  }));
}

export function evolveWorkerSettled(run: Run, event: EventOf<'baton.worker.settled'>): Run {
  const { workerId, status, childRunId } = event.payload;
  return moveWorkers(run, event.nodeId, (wait) => {
    const handoff: Handoff = {
      workerId,
      state: status,
      lastId: event.eventId,
      ...(childRunId !== undefined && { childRunId }),
    };
    // A worker that never got a child was not counted by node.dispatched.
    return { ...wait, began: childRunId === undefined ? wait.began + 1 : wait.began, handoff };
  });
}

function moveWorkers(
  run: Run,
  nodeId: string | undefined,
  move: (wait: WaitForWorkers) => WaitForWorkers,
): Run {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  if (state?.status !== 'running' || state.wait.for !== 'workers' || nodeId === undefined) return run;
  return setWait(run, nodeId, move(state.wait));
}
