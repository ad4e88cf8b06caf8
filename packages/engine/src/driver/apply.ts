import { BatonError, type RunStatus } from '@baton/protocol';
import type { RunCommand } from '../commands.ts';
import { recordOutcome } from '../kernel/effects.ts';
import { cancelRun } from '../kernel/ending.ts';
import { pauseRun, resumeRun } from '../kernel/pause.ts';
import { resolveInterrupt } from '../kernel/people/interrupts.ts';
import { takeAnswerAgain } from '../kernel/replay/ask-again.ts';
import { statusOf } from '../kernel/status.ts';
import type { Turn } from '../kernel/turn.ts';
import type { Conformance } from './conformance.ts';

/** Applies a command to a live run. Throws a refusal before anything was recorded, or records it all. */
export function applyCommand(turn: Turn, command: RunCommand, conformance?: Conformance): void {
  const status = statusOf(turn.run, (id) => turn.tree.turns.get(id)?.run);
  switch (command.kind) {
    case 'cancel-run':
      cancelRun(turn, { ...(command.reason && { reason: command.reason }), by: command.caller.principal });
      return;
    case 'pause-run':
      pauseRun(turn, status, {
        ...(command.reason && { reason: command.reason }),
        by: command.caller.principal,
        drainPolicy: command.drainPolicy,
      });
      return;
    case 'resume-run':
      resumeRun(turn, status, command.caller.principal);
      return;
    case 'resolve-interrupt':
      resolveInterrupt(turn, {
        target: command.target,
        value: command.resumeValue,
        principal: command.caller.principal,
        viaToken: command.viaToken,
        scopes: command.scopes,
      });
      turn.tree.agenda.push(turn.run.runId);
      return;
    case 'set-variables':
      conformance?.setVariables(turn, command.variables);
      return;
    case 'effect-outcome':
      if (turn.run.fork?.mode === 'replay') takeAnswerAgain(turn, command);
      else recordOutcome(turn, command);
  }
}

/** What a command means for a run that has already ended: cancelling it again is fine, the rest is refused. */
export function refuseEnded(command: RunCommand, runStatus: RunStatus): void {
  switch (command.kind) {
    case 'cancel-run':
    case 'effect-outcome':
      return;
    case 'resolve-interrupt':
      throw new BatonError('interrupt_gone', 'The run has ended, and its questions with it.', { runStatus });
    case 'pause-run':
    case 'resume-run':
    case 'set-variables':
      throw new BatonError('run_terminal', `The run is already ${runStatus}.`, { runStatus });
  }
}
