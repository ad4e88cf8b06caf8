import type { RunSnapshot } from '@baton/protocol';
import type { Watched } from '../live/watch.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Output } from '../output/output.ts';
import { printableLine } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { resultText, variableLines } from './run-text.ts';

/** Tells how a run is after it was watched, and chooses the exit code. */
export async function reportEnd(session: Session, runId: string, watched: Watched): Promise<ExitCode> {
  const { baton, out } = session;
  if (watched.end === 'interrupted') return reportInterrupted(session, runId, watched);
  const run = await baton.run(runId).snapshot();
  giveRun(out, run, watched);
  if (watched.end === 'waiting') {
    for (const { title, kind } of await baton.run(runId).interrupts()) {
      out.note(`\n${printableLine(title)}\n${nextSteps(kind, runId)}`);
    }
    return EXIT.runWaits;
  }
  return exitOf(run);
}

/** The person may have interrupted the command because the host does not answer, so the result may be missing. */
async function reportInterrupted(
  { baton, out }: Session,
  runId: string,
  watched: Watched,
): Promise<ExitCode> {
  const run = await baton
    .run(runId)
    .snapshot()
    .catch(() => undefined);
  if (run !== undefined) giveRun(out, run, watched);
  out.note(`The run goes on. "baton tail ${runId}" follows it again, "baton cancel ${runId}" ends it.`);
  return EXIT.interrupted;
}

function giveRun(out: Output, run: RunSnapshot, watched: Watched): void {
  // The live tree has shown everything but the variables.
  const isDrawn = watched.isShown && out.form === 'terminal';
  out.give(run, isDrawn ? variableLines(run.variables, out.paint).join('\n') : resultText(run, out.paint));
}

/** The commands that answer a question of this kind. */
function nextSteps(kind: string, runId: string): string {
  const commands =
    kind === 'approval' || kind === 'low-confidence' ? ['approve', 'edit', 'reject'] : ['answer'];
  return commands.map((command) => `  baton ${command} ${runId}`).join('\n');
}

function exitOf({ status }: RunSnapshot): ExitCode {
  if (status === 'completed') return EXIT.done;
  return status === 'failed' || status === 'cancelled' ? EXIT.runFailed : EXIT.runWaits;
}
