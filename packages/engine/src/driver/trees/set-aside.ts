import { runError } from '@baton/protocol';
import { nothingAwaited } from '../effects/effects-under-way.ts';
import { done, refused } from '../replies.ts';
import type { Outcome } from '../rounds/job.ts';
import type { WorkContext } from '../rounds/work-context.ts';
import { DEFECT, quarantineSlice } from './quarantine.ts';

/** Trees that cannot go on. Their runs end by an event that is not the result of a step. */

/**
 * Fails the runs of a tree because its tenant has no storage left. A replay copies this event from its
 * source.
 */
export async function failForStorage(context: WorkContext, rootId: string): Promise<Outcome> {
  const { store, clock, trees } = context;
  trees.evict(rootId);
  const slice = await quarantineSlice(store, rootId, clock.now(), runError('storage_exceeded'));
  return {
    reply: done({ kind: 'run', runId: rootId, status: 'failed' }),
    ...(slice && { slice }),
    effects: nothingAwaited(rootId),
  };
}

/** Handles an error that is not a refusal. It is a defect of this tree, and other trees must go on. */
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
  return { reply: refused(DEFECT), ...(slice && { slice }), effects: nothingAwaited(rootId) };
}
