import type { RunEvent } from '@baton/protocol';
import { isEnded } from '../run.ts';
import { type WorkingRun, workingChild } from '../working-run.ts';
import { isInLaterStep, type Recorded, readOn, type Source } from './source.ts';

/** How the step that begins at the head of the replay stops the whole run. */
type Stop =
  /** The run was cancelled, by a person or together with its parent. */
  | 'cancelled'
  /** The run fails. The first event may name a node other than the one that failed. */
  | 'failed';

/**
 * When a run is stopped, it first settles the worker of a dispatch node, then cancels its nodes one by one, and then
 * ends. So the first event may be about a worker, or about its outputs at the merge gate, and only the event after
 * it shows that the run is stopped.
 */
export function stopAhead(working: WorkingRun, source: Source): Stop | 'unknown' | undefined {
  const [first, second, third] = tellingAhead(source);
  if (first === undefined) return source.ahead.length > 0 && !source.complete ? readOn(working) : undefined;
  if (leavesGate(first.event)) return stopAt(working, source, second);
  if (!settlesWorker(first.event)) return stopIn(first.event);
  // An ended worker may have been settled in a step before the stop. Then the stop is a separate step.
  if (second && isInLaterStep(first, second) && workerHasEnded(working, first.event)) return undefined;
  return second && leavesGate(second.event)
    ? stopAt(working, source, third)
    : stopAt(working, source, second);
}

type Telling = Pick<Recorded, 'event' | 'starts' | 'place' | 'stepEnd'>;

/**
 * The next events that can show a stop. What a child used, and the end of an agent's invocation, may be recorded
 * before each of them.
 */
function tellingAhead({ ahead }: Source): readonly Telling[] {
  const found: Telling[] = [];
  let starts = false;
  for (const recorded of ahead) {
    starts ||= recorded.starts;
    if (BESIDE_A_STOP.includes(recorded.event.type)) continue;
    found.push({ ...recorded, starts });
    if (found.length === 3) break;
    starts = false;
  }
  return found;
}

const BESIDE_A_STOP: readonly RunEvent['type'][] = ['baton.usage.carried', 'agent.invocation.completed'];

function stopAt(
  working: WorkingRun,
  source: Source,
  recorded: Telling | undefined,
): Stop | 'unknown' | undefined {
  if (recorded !== undefined) return stopIn(recorded.event);
  return source.complete ? undefined : readOn(working);
}

/** Outputs were at the gate when the run, or the node, was stopped. */
function leavesGate(event: RunEvent): boolean {
  return event.type === 'baton.merge.settled' && event.payload.why === 'stopped';
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

function workerHasEnded(working: WorkingRun, { nodeId = '' }: RunEvent): boolean {
  const state = working.run.nodes[nodeId];
  const handoff =
    state?.status === 'running' && state.wait.for === 'workers' ? state.wait.handoff : undefined;
  const child = handoff?.childRunId === undefined ? undefined : workingChild(working, handoff.childRunId);
  return child === undefined || isEnded(child.run);
}
