import { BatonError, type DrainPolicy, isWaiting, type RunStatus } from '@baton/protocol';
import { emit, type WorkingRun } from './working-run.ts';

/**
 * Pauses and resumes runs. A paused run keeps its timers. Those that expire meanwhile take effect on resume.
 */

interface PauseWords {
  readonly reason?: string;
  readonly by: string;
  readonly drainPolicy: DrainPolicy;
}

export function pauseRun(working: WorkingRun, status: RunStatus, words: PauseWords): void {
  const { phase, active, runId } = working.run;
  if (phase.kind === 'draining') {
    const message = 'The run is already being paused; it stops when its running nodes have finished.';
    throw new BatonError('run_state_conflict', message, { runStatus: status });
  }
  if (phase.kind !== 'running' || isWaiting(status)) throw stateConflict(status, 'paused');
  const payload = { ...(words.reason && { reason: words.reason }), by: words.by };
  if (words.drainPolicy === 'drain-current-node' && active.length > 0) {
    emit(working, 'baton.run.draining', payload);
  } else {
    emit(working, 'run.paused', payload);
  }
  working.tree.agenda.push(runId);
}

export function resumeRun(working: WorkingRun, status: RunStatus, by: string): void {
  const { kind } = working.run.phase;
  if (kind !== 'paused' && kind !== 'draining') throw stateConflict(status, 'resumed');
  emit(working, 'run.resumed', { by });
  working.tree.agenda.push(...working.tree.runs.keys());
}

function stateConflict(runStatus: RunStatus, what: string): BatonError {
  return new BatonError('run_state_conflict', `A run that is ${runStatus} cannot be ${what}.`, { runStatus });
}
