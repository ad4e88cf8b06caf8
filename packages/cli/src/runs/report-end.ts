import type { RunSnapshot } from '@baton/protocol';
import type { Watched } from '../live/watch.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import { printable } from '../output/paint.ts';
import type { Session } from '../session.ts';
import { resultText, variableLines } from './run-text.ts';

/** Tells how a run is after it was watched, and chooses the exit code. */
export async function reportEnd(session: Session, runId: string, watched: Watched): Promise<ExitCode> {
  const { baton, out } = session;
  const run = await baton.run(runId).snapshot();
  // The live tree has shown everything but the variables.
  const isDrawn = watched.isShown && out.form === 'terminal';
  out.give(run, isDrawn ? variableLines(run.variables, out.paint).join('\n') : resultText(run, out.paint));
  if (watched.end === 'interrupted') {
    out.note(`The run goes on. "baton tail ${runId}" follows it again, "baton cancel ${runId}" ends it.`);
    return EXIT.interrupted;
  }
  if (watched.end === 'waiting') {
    for (const { title, kind } of await baton.run(runId).interrupts()) {
      out.note(`\n${printable(title)}\n${nextSteps(kind, runId)}`);
    }
    return EXIT.runWaits;
  }
  return exitOf(run);
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
