import { BatonError, runError } from '@baton/protocol';
import { nothingAwaited } from '../effects/tree-effects.ts';
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

/**
 * Handles a defect of this tree: an error that is not a refusal, or a log that cannot be folded. Other trees
 * must go on.
 */
export async function setAside(
  context: WorkContext,
  rootId: string | undefined,
  problem: unknown,
): Promise<Outcome> {
  const { store, clock, log, trees } = context;
  const cause = problem instanceof BatonError ? problem.cause : problem;
  const message = problem instanceof Error ? problem.message : String(problem);
  log('error', 'a run was set aside', {
    rootId,
    problem: message,
    stack: cause instanceof Error ? cause.stack : undefined,
  });
  const reply = refused(problem instanceof BatonError ? problem.body() : DEFECT);
  if (rootId === undefined) return { reply };
  trees.evict(rootId);
  const slice = await quarantineSlice(store, rootId, clock.now());
  return { reply, ...(slice && { slice }), effects: nothingAwaited(rootId) };
}
