import { runError } from '@baton/protocol';
import { done, refused } from '../replies.ts';
import type { Outcome } from '../rounds/job.ts';
import type { WorkContext } from '../rounds/work-context.ts';
import { DEFECT, quarantineSlice } from './quarantine.ts';

/** Trees that cannot go on: their runs end by a fact that no step of theirs has brought about. */

/** Not a step of the tree but something that happens to it, so that no replay has to come to it by itself. */
export async function failForStorage(context: WorkContext, rootId: string): Promise<Outcome> {
  const { store, clock, trees } = context;
  trees.evict(rootId);
  const slice = await quarantineSlice(store, rootId, clock.now(), runError('storage_exceeded'));
  return { reply: done({ kind: 'run', runId: rootId, status: 'failed' }), ...(slice && { slice }) };
}

/** A refusal is an answer; anything else is a defect of this tree and must not reach the others. */
export async function setAside(
  context: WorkContext,
  rootId: string | undefined,
  problem: unknown,
): Promise<Outcome> {
  const { store, clock, log, trees } = context;
  const message = problem instanceof Error ? problem.message : String(problem);
  log('error', 'a run was set aside', {
    rootId,
    problem: message,
    stack: problem instanceof Error ? problem.stack : undefined,
  });
  if (rootId === undefined) return { reply: refused(DEFECT) };
  trees.evict(rootId);
  const slice = await quarantineSlice(store, rootId, clock.now());
  return { reply: refused(DEFECT), ...(slice && { slice }) };
}
