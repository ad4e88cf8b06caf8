import type { ForkCommand, RetryCommand } from '../../commands.ts';
import { done } from '../replies.ts';
import type { Outcome } from '../rounds/job.ts';
import { type WorkContext, worldAt } from '../rounds/work-context.ts';
import { ownRun } from '../trees/own-run.ts';
import { advance, statusIn, wrapUp } from '../trees/tree-work.ts';
import { forkRequestOf, retryOf } from './fork-request.ts';
import { forkRun } from './fork-run.ts';
import { startersBefore } from './fork-starters.ts';

export async function forkOrRetry(context: WorkContext, given: ForkCommand | RetryCommand): Promise<Outcome> {
  const { store, clock, ids, workflows, trees } = context;
  const source = await ownRun(store, given);
  const { runId: sourceRunId } = source;
  const starters = await startersBefore(store, source);
  const request =
    given.kind === 'fork-run'
      ? forkRequestOf(given, starters)
      : await retryOf(store, source, given, starters);
  const now = clock.now();
  const runId = ids.rootRunId(now);
  const loaded = await forkRun({ store, workflows, world: worldAt(context, now), runId }, source, request);
  await advance(context, loaded);
  trees.keep(runId, loaded);
  const status = statusIn(loaded.tree, runId);
  const { fromSeq, mode } = loaded.tree.runs.get(runId)?.run.fork ?? request;
  const asked = given.kind === 'fork-run' ? { requestedFromSeq: request.fromSeq } : {};
  return wrapUp(
    context,
    loaded,
    done({ kind: 'fork', runId, status, sourceRunId, fromSeq, ...asked, mode }),
    given,
  );
}
