import { BatonError, type RunStatus } from '@baton/protocol';
import type { RunCommand } from '../commands.ts';
import { recordOutcome, recordProgress } from '../kernel/effects.ts';
import { cancelRun } from '../kernel/ending.ts';
import { pauseRun, resumeRun } from '../kernel/pause.ts';
import { resolveInterrupt } from '../kernel/people/interrupts.ts';
import { takeAnswerAgain } from '../kernel/replay/ask-again.ts';
import { statusOf } from '../kernel/status.ts';
import type { WorkingRun } from '../kernel/working-run.ts';
import type { OpenExtension } from './extension.ts';

/** Applies a command to a run that has not ended, or throws a refusal and records nothing. */
export function applyCommand(working: WorkingRun, command: RunCommand, extension?: OpenExtension): void {
  const status = statusOf(working.run, (id) => working.tree.runs.get(id)?.run);
  switch (command.kind) {
    case 'cancel-run':
      cancelRun(working, { ...(command.reason && { reason: command.reason }), by: command.caller.principal });
      return;
    case 'pause-run':
      pauseRun(working, status, {
        ...(command.reason && { reason: command.reason }),
        by: command.caller.principal,
        drainPolicy: command.drainPolicy,
      });
      return;
    case 'resume-run':
      resumeRun(working, status, command.caller.principal);
      return;
    case 'resolve-interrupt':
      resolveInterrupt(working, {
        target: command.target,
        value: command.resumeValue,
        principal: command.caller.principal,
        viaToken: command.viaToken,
        scopes: command.scopes,
      });
      working.tree.agenda.push(working.run.runId);
      return;
    case 'extension-on-run':
      extension?.executeOn(working, command.request);
      return;
    case 'effect-outcome':
      if (working.run.fork?.mode === 'replay') takeAnswerAgain(working, command);
      else recordOutcome(working, command);
      return;
    case 'effect-progress':
      recordProgress(working, command);
  }
}

/** Refuses a command for a run that has ended. A cancel and reports of an effect are not refused. */
export function refuseEnded(command: RunCommand, runStatus: RunStatus): void {
  switch (command.kind) {
    case 'cancel-run':
    case 'effect-outcome':
    case 'effect-progress':
      return;
    case 'resolve-interrupt':
      throw new BatonError('interrupt_gone', 'The run has ended, so its questions are closed.', {
        runStatus,
      });
    case 'pause-run':
    case 'resume-run':
    case 'extension-on-run':
      throw new BatonError('run_terminal', `The run is already ${runStatus}.`, { runStatus });
  }
}
