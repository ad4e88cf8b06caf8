import { BatonError, type DrainPolicy, isWaiting, type RunStatus } from '@baton/protocol';
import { emit, type Turn } from './turn.ts';

/** Pausing and resuming. A paused run keeps its timers; what came due meanwhile happens when it resumes. */

export interface PauseWords {
  readonly reason?: string;
  readonly by: string;
  readonly drainPolicy: DrainPolicy;
}

export function pauseRun(turn: Turn, status: RunStatus, words: PauseWords): void {
  const { phase, active, runId } = turn.run;
  if (phase.kind === 'draining') {
    const message = 'The run is pausing already; it stops when the nodes under way have finished.';
    throw new BatonError('run_state_conflict', message, { runStatus: status });
  }
  if (phase.kind !== 'running' || isWaiting(status)) throw stateConflict(status, 'paused');
  const payload = { ...(words.reason && { reason: words.reason }), by: words.by };
  if (words.drainPolicy === 'drain-current-node' && active.length > 0) {
    emit(turn, 'baton.run.draining', payload);
  } else {
    emit(turn, 'run.paused', payload);
  }
  turn.tree.agenda.push(runId);
}

export function resumeRun(turn: Turn, status: RunStatus, by: string): void {
  const { kind } = turn.run.phase;
  if (kind !== 'paused' && kind !== 'draining') throw stateConflict(status, 'resumed');
  emit(turn, 'run.resumed', { by });
  turn.tree.agenda.push(...turn.tree.turns.keys());
}

function stateConflict(runStatus: RunStatus, what: string): BatonError {
  return new BatonError('run_state_conflict', `A run that is ${runStatus} cannot be ${what}.`, { runStatus });
}
