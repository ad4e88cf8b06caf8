import type { ForkCommand, RetryCommand } from '../../commands.ts';
import type { RunRow, Store } from '../../ports/store.ts';
import { done } from '../replies.ts';
import type { Outcome } from '../rounds/job.ts';
import { type WorkContext, worldAt } from '../rounds/work-context.ts';
import { ownRun } from '../trees/own-run.ts';
import { advance, statusIn, wrapUp } from '../trees/tree-work.ts';
import { forkRequestOf, retryOf } from './fork-request.ts';
import { forkRun } from './fork-run.ts';

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

/**
 * All principals who started or branched the run, a run that it was forked from, or a run above one of these.
 * The record of a branch lists them already.
 */
async function startersBefore(store: Store, source: RunRow): Promise<readonly string[]> {
  const starters = new Set<string>();
  const seen = new Set<string>();
  const rows: RunRow[] = [source];
  for (let row = rows.pop(); row !== undefined; row = rows.pop()) {
    starters.add(row.principal);
    const { starters: known } = row.fork?.by ?? {};
    for (const one of known ?? []) starters.add(one);
    if (known !== undefined) continue;
    for (const runId of [row.parentRunId, row.fork?.sourceRunId]) {
      if (runId === undefined || seen.has(runId)) continue;
      seen.add(runId);
      const above = await store.run(runId);
      if (above !== undefined) rows.push(above);
    }
  }
  return [...starters];
}
