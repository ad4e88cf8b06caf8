import { EXIT, type ExitCode } from '../output/exit-codes.ts';
import type { Session } from '../session.ts';
import { withKnownRun } from './known-names.ts';

/** `baton cancel`: ends a run and its descendants. */
export async function cancelRun(session: Session, runId: string): Promise<ExitCode> {
  const { baton, out } = session;
  const { reason } = session.flags as { readonly reason?: string };
  const moved = await withKnownRun(session, runId, (id) =>
    baton.run(id).cancel(reason === undefined ? {} : { reason }),
  );
  out.give(moved, `Run ${moved.runId} is ${moved.status}.`);
  return EXIT.done;
}
