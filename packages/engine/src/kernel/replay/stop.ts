import type { RunEvent } from '@baton/protocol';
import { isEnded } from '../run.ts';
import { childTurn, type Turn } from '../turn.ts';
import { readOn, type Source } from './source.ts';

/** How the step that begins at the head of the replay stops the whole run. */
export type Stop =
  /** The run was cancelled, by a person or together with its parent. */
  | 'cancelled'
  /** The run fails. The first event may name a node other than the one that failed. */
  | 'failed';

/**
 * When a run is stopped, it first settles the worker of a dispatch node, then cancels its nodes one by one,
 * and then ends. So the first event may be about a worker, and only the second event shows that the run is
 * stopped.
 */
export function stopAhead(turn: Turn, source: Source): Stop | 'unknown' | undefined {
  const [first, second] = source.ahead;
  if (first === undefined) return undefined;
  if (!settlesWorker(first.event)) return stopIn(first.event);
  if (second === undefined) return source.complete ? undefined : readOn(turn);
  // An ended worker may have been settled in a step before the stop. Then the stop is a separate step.
  return second.starts && workerHasEnded(turn, first.event) ? undefined : stopIn(second.event);
}

function stopIn(event: RunEvent): Stop | undefined {
  if (event.type === 'run.cancelled') return 'cancelled';
  if (event.type !== 'node.cancelled') return undefined;
  return event.payload.reason === 'run-cancelled' ? 'cancelled' : 'failed';
}

function settlesWorker(event: RunEvent): boolean {
  if (event.type === 'baton.worker.settled') return true;
  return event.type === 'core.workflowChain.event' && event.payload.phase.startsWith('child.');
}

function workerHasEnded(turn: Turn, { nodeId = '' }: RunEvent): boolean {
  const state = turn.run.nodes[nodeId];
  const handoff =
    state?.status === 'running' && state.wait.for === 'workers' ? state.wait.handoff : undefined;
  const child = handoff?.childRunId === undefined ? undefined : childTurn(turn, handoff.childRunId);
  return child === undefined || isEnded(child.run);
}
