import type { Fork } from '@baton/client';
import { watchRun } from '../live/watch.ts';
import { wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { type InputFlags, inputsOf } from './inputs.ts';
import { withKnownRun } from './known-names.ts';
import { reportEnd } from './report-end.ts';

interface ForkFlags extends InputFlags {
  readonly at?: string;
  readonly branch?: boolean;
  readonly liveModels?: boolean;
  readonly watch?: boolean;
}

/** `baton fork`: a replay of a run, or a branch that goes on by itself from one of its events. */
export async function forkRun(session: Session, runId: string): Promise<ExitCode> {
  const flags: ForkFlags = session.flags;
  const at = flags.at === undefined ? undefined : sequenceOf(flags.at);
  const variables = inputsOf(flags);
  const changes = Object.keys(variables).length > 0;
  if (changes && flags.branch !== true) {
    throw wrongUsage('A replay repeats the run as it was, so it takes no --input.', 'Add --branch.');
  }
  if (flags.branch === true && flags.liveModels === true) {
    throw wrongUsage('--live-models is for a replay, and --branch is no replay.', 'Leave out one of them.');
  }
  const fork = await withKnownRun(session, runId, (id) => {
    const run = session.baton.run(id);
    if (flags.branch === true) return run.branch({ at: at ?? 0, ...(changes && { variables }) });
    return run.fork({
      ...(at !== undefined && { at }),
      ...(flags.liveModels === true && { models: 'live' }),
    });
  });
  return report(session, fork);
}

/** `baton retry`: a branch at the node that failed. */
export async function retryRun(session: Session, runId: string): Promise<ExitCode> {
  const variables = inputsOf(session.flags as InputFlags);
  const changes = Object.keys(variables).length > 0;
  const fork = await withKnownRun(session, runId, (id) =>
    session.baton.run(id).retry(changes ? { variables } : {}),
  );
  return report(session, fork);
}

export function sequenceOf(text: string): number {
  const sequence = Number(text);
  if (Number.isInteger(sequence) && sequence >= 0 && text.trim() !== '') return sequence;
  throw wrongUsage(
    `--at ${text} is not the number of an event.`,
    '"baton tail <run> --json" shows the numbers.',
  );
}

async function report(session: Session, { run, ...fork }: Fork): Promise<ExitCode> {
  const { out } = session;
  const { runId, sourceRunId, mode, fromSeq } = fork;
  if (session.flags.watch === true) {
    out.note(`Run ${runId} is a ${mode} of ${sourceRunId} from event ${fromSeq}.`);
    const watched = await watchRun(session, runId, { untilWaiting: true, shows: true });
    return reportEnd(session, runId, watched);
  }
  out.give(fork, runId);
  out.note(`It is a ${mode} of ${sourceRunId} from event ${fromSeq}. "baton tail ${runId}" follows it.`);
  return EXIT.done;
}
