import type { ForkCommand, RetryCommand } from '../commands.ts';
import { forkRun } from './fork-run.ts';
import { startersBefore } from './fork-starters.ts';
import { retryOf, wishesOf } from './fork-wishes.ts';
import type { Outcome } from './job.ts';
import { ownRun } from './own-run.ts';
import { done } from './replies.ts';
import { advance, statusIn, wrapUp } from './tree-work.ts';
import { type WorkContext, worldAt } from './work-context.ts';

export async function forkOrRetry(
  context: WorkContext,
  given: ForkCommand | RetryCommand,
  alone: boolean,
): Promise<Outcome> {
  const { store, clock, ids, workflows, trees } = context;
  const source = await ownRun(store, given);
  const { runId: sourceRunId } = source;
  const starters = await startersBefore(store, source);
  const wishes =
    given.kind === 'fork-run' ? wishesOf(given, starters) : await retryOf(store, source, given, starters);
  const now = clock.now();
  const runId = ids.rootRunId(now);
  const loaded = await forkRun({ store, workflows, world: worldAt(context, now), runId }, source, wishes);
  await advance(context, loaded, alone);
  trees.keep(runId, loaded);
  const status = statusIn(loaded.tree, runId);
  const { fromSeq, mode } = loaded.tree.turns.get(runId)?.run.fork ?? wishes;
  const asked = given.kind === 'fork-run' ? { requestedFromSeq: wishes.fromSeq } : {};
  return wrapUp(
    context,
    loaded,
    done({ kind: 'fork', runId, status, sourceRunId, fromSeq, ...asked, mode }),
    given,
  );
}
