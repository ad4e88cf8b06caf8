import type { RunEvent, RunStatus } from '@baton/client';
import type { Entry, RunTrack } from './tree.ts';

/** The status of a run after each of its events. */
export function foldStatus({ event, run, position }: Entry): void {
  const next = statusAfter(run, event);
  if (next !== undefined && run.status.at(-1)?.value !== next) run.status.push({ at: position, value: next });
}

function statusAfter(run: RunTrack, event: RunEvent): RunStatus | undefined {
  switch (event.type) {
    case 'run.started':
    case 'baton.run.branched':
      return 'running';
    case 'run.resumed':
      return waitingOrRunning(run);
    case 'run.paused':
      return 'paused';
    case 'run.completed':
      return 'completed';
    case 'run.failed':
      return 'failed';
    case 'run.cancelled':
      return 'cancelled';
    case 'interrupt.requested':
      run.questions.set(event.payload.key, waitingStatus(event.payload.kind));
      return waitingOrRunning(run);
    case 'interrupt.resolved':
      run.questions.delete(event.payload.interruptId);
      return waitingOrRunning(run);
    default:
      return undefined;
  }
}

function waitingOrRunning(run: RunTrack): RunStatus {
  return [...run.questions.values()].at(-1) ?? 'running';
}

function waitingStatus(kind: string): RunStatus {
  if (kind === 'approval' || kind === 'low-confidence') return 'waiting-approval';
  return kind === 'external-event' ? 'waiting-external' : 'waiting-input';
}
