import { type EventOf, laterBy } from '@baton/protocol';
import {
  type Handoff,
  type HandoffState,
  type Run,
  setWait,
  type WaitForWorkers,
  workersWait,
} from '../run.ts';
import { withoutUnmet } from './evolve-children.ts';
import { reviewBegun, reviewed } from './evolve-review.ts';

/** The part of the fold for the current handoff of a dispatch node. */

const STATE_AFTER = {
  'dispatch.began': 'dispatching',
  'dispatch.succeeded': 'running',
  'dispatch.failed': 'failed',
  'child.completed': 'completed',
  'child.failed': 'failed',
  'child.cancelled': 'cancelled',
  'output.harvested': 'harvested',
} as const satisfies Record<string, HandoffState>;

export function evolveTransition(run: Run, event: EventOf<'core.workflowChain.event'>): Run {
  const { phase, workerId, childRunId, attestation } = event.payload;
  const counted = phase === 'dispatch.began' ? countRevision(run, event.nodeId) : run;
  const told = phase === 'child.completed' ? withoutUnmet(counted, workerId) : counted;
  return moveWorkers(told, event.nodeId, (wait) => {
    const before = wait.handoff;
    if (phase === 'dispatch.began') return begin(wait, workerId, event.eventId);
    return {
      ...wait,
      handoff: {
        workerId,
        state: STATE_AFTER[phase],
        lastId: event.eventId,
        attempt: before?.attempt ?? 1,
        ...(childRunId !== undefined && { childRunId }),
        ...(attestation && { attestation }),
      },
    };
  });
}

/** A worker that a critic sent back begins again. Any other worker is the next one of the decision. */
function begin(wait: WaitForWorkers, workerId: string, lastId: string): WaitForWorkers {
  const again = isRevision(wait);
  const attempt = again ? (wait.handoff?.attempt ?? 1) + 1 : 1;
  const began = again ? wait.began : wait.began + 1;
  return { ...wait, began, handoff: { workerId, state: 'dispatching', lastId, attempt } };
}

function countRevision(run: Run, nodeId: string | undefined): Run {
  const wait = nodeId === undefined ? undefined : workersWait(run, nodeId);
  if (wait === undefined || !isRevision(wait)) return run;
  return { ...run, revisions: (run.revisions ?? 0) + 1 };
}

function isRevision({ handoff }: WaitForWorkers): boolean {
  return handoff?.state === 'verified' && handoff.verdict?.given === 'revise';
}

export function evolveCriticStarted(run: Run, event: EventOf<'baton.critic.started'>, at: number): Run {
  const { criticRunId, timeoutMs, target } = event.payload;
  const counted = { ...run, children: run.children + 1 };
  const critic = { runId: criticRunId, deadline: laterBy(at, timeoutMs) };
  if (target !== undefined) return reviewBegun(counted, event.nodeId, target, critic);
  return moveHandoff(counted, event.nodeId, (handoff) => ({ ...handoff, state: 'verifying', critic }));
}

export function evolveVerified(run: Run, event: EventOf<'agent.verified'>): Run {
  const { verdict, confidence } = event.payload;
  if (event.nodeId === undefined || workersWait(run, event.nodeId) === undefined) return reviewed(run, event);
  return moveHandoff(run, event.nodeId, (handoff) => ({
    ...handoff,
    state: 'verified',
    verdict: { given: verdict, eventId: event.eventId, ...(confidence !== undefined && { confidence }) },
  }));
}

export function evolveMergeSettled(run: Run, event: EventOf<'baton.merge.settled'>): Run {
  const { workerId, merged, why } = event.payload;
  const others = run.unresolved.filter((id) => id !== workerId);
  const unresolved = why === 'verdict-failed' ? [...others, workerId] : merged ? others : run.unresolved;
  return moveWorkers({ ...run, unresolved }, event.nodeId, (wait) => ({
    ...wait,
    ...(wait.handoff && {
      handoff: { ...wait.handoff, state: merged ? ('merged' as const) : ('refused' as const) },
    }),
    settled: [...(wait.settled ?? []), event.payload],
  }));
}

/**
 * While a person reviews the outputs of a worker, its handoff is at the merge gate. Other questions do not
 * change the handoff.
 */
export function approving(wait: WaitForWorkers | undefined): WaitForWorkers | undefined {
  if (wait?.handoff === undefined) return wait;
  return { ...wait, handoff: { ...wait.handoff, state: 'approving' } };
}

/** A child was created. In a run without transition events, this also starts its handoff. */
export function evolveDispatched(run: Run, event: EventOf<'node.dispatched'>): Run {
  const { childRunId, childWorkflowId } = event.payload;
  const counted = { ...run, children: run.children + 1 };
  const state = event.nodeId === undefined ? undefined : run.nodes[event.nodeId];
  if (state?.status !== 'running' || event.nodeId === undefined) return counted;
  if (state.wait.for !== 'workers') {
    return setWait(counted, event.nodeId, { for: 'child', childRunId });
  }
  if (run.chainEvents) return counted;
  return moveWorkers(countRevision(counted, event.nodeId), event.nodeId, (wait) => ({
    ...wait,
    began: isRevision(wait) ? wait.began : wait.began + 1,
    handoff: {
      workerId: childWorkflowId,
      state: 'running',
      lastId: event.eventId,
      childRunId,
      attempt: isRevision(wait) ? (wait.handoff?.attempt ?? 1) + 1 : 1,
    },
  }));
}

export function evolveWorkerSettled(run: Run, event: EventOf<'baton.worker.settled'>): Run {
  const { workerId, status, childRunId } = event.payload;
  return moveWorkers(status === 'completed' ? withoutUnmet(run, workerId) : run, event.nodeId, (wait) => {
    const handoff: Handoff = {
      workerId,
      state: status,
      lastId: event.eventId,
      attempt: wait.handoff?.attempt ?? 1,
      ...(childRunId !== undefined && { childRunId }),
    };
    // A worker without a child was not counted by node.dispatched.
    return { ...wait, began: childRunId === undefined ? wait.began + 1 : wait.began, handoff };
  });
}

function moveWorkers(
  run: Run,
  nodeId: string | undefined,
  move: (wait: WaitForWorkers) => WaitForWorkers,
): Run {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  if (state?.status !== 'running' || nodeId === undefined) return run;
  const { wait } = state;
  if (wait.for === 'workers') return setWait(run, nodeId, move(wait));
  // A run that is stopped leaves the gate while a person is still asked.
  if (wait.for !== 'answer' || wait.workers === undefined) return run;
  return setWait(run, nodeId, { ...wait, workers: move(wait.workers) });
}

function moveHandoff(run: Run, nodeId: string | undefined, move: (handoff: Handoff) => Handoff): Run {
  return moveWorkers(run, nodeId, (wait) => (wait.handoff ? { ...wait, handoff: move(wait.handoff) } : wait));
}
