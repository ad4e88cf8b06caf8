import { BatonError } from '@baton/client';
import { watchRun } from '../live/watch.ts';
import { CommandFailure, wrongUsage } from '../output/command-failure.ts';
import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { type InputFlags, inputsOf, isAmbiguous } from './inputs.ts';
import { withKnownWorkflow } from './known-names.ts';
import { reportEnd } from './report-end.ts';

interface RunFlags extends InputFlags {
  readonly watch?: boolean;
  readonly detach?: boolean;
  readonly scope?: string;
  readonly tag?: readonly string[];
}

/** `baton run`: starts a run and waits until it has ended, or waits for a person. */
export async function startRun(session: Session, workflowId: string): Promise<ExitCode> {
  const { baton, out } = session;
  const flags: RunFlags = session.flags;
  if (flags.detach === true && flags.watch === true) {
    throw wrongUsage('--detach does not wait for the run, and --watch shows it.', 'Leave out one of them.');
  }
  const inputs = inputsOf(flags, isAmbiguous(flags) ? await textsOf(session, workflowId) : undefined);
  const run = await withKnownWorkflow(session, workflowId, () =>
    baton.runs.start(workflowId, inputs, {
      ...(flags.scope !== undefined && { scopeId: flags.scope }),
      ...(flags.tag !== undefined && { tags: [...flags.tag] }),
    }),
  );
  if (flags.detach === true) {
    out.give({ runId: run.id }, run.id);
    return EXIT.done;
  }
  try {
    const watched = await watchRun(session, run.id, { untilWaiting: true, shows: flags.watch === true });
    return await reportEnd(session, run.id, watched);
  } catch (error) {
    if (!(error instanceof BatonError && error.code === 'forbidden')) throw error;
    throw new CommandFailure(`Run ${run.id} was started, but the key may not read it: ${error.message}`, {
      exit: EXIT.keyRefused,
      code: error.code,
      hint: `Follow it with a key that has runs:read: baton tail ${run.id} --key <key>`,
      cause: error,
    });
  }
}

/** The variables of a workflow that hold texts. If the workflow cannot be read, the start of the run says why. */
async function textsOf({ baton }: Session, workflowId: string): Promise<ReadonlySet<string>> {
  const definition = await baton.workflows.read(workflowId).catch(() => undefined);
  const texts = definition?.variables?.filter(({ type }) => type === 'string') ?? [];
  return new Set(texts.map(({ name }) => name));
}
