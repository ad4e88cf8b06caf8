import type { RunEvent } from '@baton/client';
import { decisionText, questionText } from './event-text.ts';
import { nodeOf } from './runs.ts';
import type { Entry, NodeMoment, NodeTrack } from './tree.ts';

/** The states of the nodes of a run after each of its events. */
export function foldNodes({ event, run, position }: Entry): void {
  if (hasEnded(event)) endAll(run.nodes.values(), position);
  if (event.nodeId === undefined) return;
  const node = nodeOf(run, event.nodeId);
  const before = node.moments.at(-1)?.value;
  if (event.type === 'node.started') node.typeId = event.payload.typeId;
  const next = momentAfter(before, event);
  if (next !== undefined) node.moments.push({ at: position, value: next });
}

function hasEnded({ type }: RunEvent): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
}

/** Work that was under way when a run ended was stopped with the run. */
function endAll(nodes: Iterable<NodeTrack>, position: number): void {
  for (const node of nodes) {
    const last = node.moments.at(-1)?.value;
    const isOpen = last?.state === 'running' || last?.state === 'waiting' || last?.state === 'retrying';
    if (isOpen) node.moments.push({ at: position, value: { ...last, state: 'cancelled' } });
  }
}

function momentAfter(before: NodeMoment | undefined, event: RunEvent): NodeMoment | undefined {
  const executions = before?.executions ?? 0;
  const now = (state: NodeMoment['state'], text = before?.text ?? ''): NodeMoment => ({
    state,
    executions,
    text,
  });
  switch (event.type) {
    case 'node.started':
      if (event.payload.attempt > 1) return now('running');
      return { state: 'running', executions: executions + 1, text: '' };
    case 'node.completed':
      return now('completed');
    case 'node.failed':
      return now('failed', `${event.payload.error.code}: ${event.payload.error.message}`);
    case 'node.skipped':
      return now('skipped', event.payload.reason ?? '');
    case 'node.cancelled':
      return now('cancelled', event.payload.reason ?? '');
    case 'node.retried':
      return now('retrying', `attempt ${event.payload.attempt} after ${event.payload.lastError.code}`);
    case 'interrupt.requested':
      return now('waiting', questionText(event.payload));
    case 'interrupt.resolved':
      return before?.state === 'waiting' ? now('running') : undefined;
    case 'runOrchestrator.decided':
      return now('running', decisionText(event.payload));
    default:
      return undefined;
  }
}
