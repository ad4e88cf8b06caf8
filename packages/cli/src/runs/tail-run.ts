import { watchRun } from '../live/watch.ts';
import type { ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { withKnownRun } from './known-names.ts';
import { reportEnd } from './report-end.ts';

/** `baton tail`: shows a run from its beginning until it has ended, also while it waits for people. */
export async function tailRun(session: Session, runId: string): Promise<ExitCode> {
  const untilWaiting = session.flags.untilWaiting === true;
  return withKnownRun(session, runId, async (id) => {
    await session.baton.run(id).snapshot();
    return reportEnd(session, id, await watchRun(session, id, { untilWaiting, shows: true }));
  });
}
