import { BatonError, rootRunId } from '@baton/protocol';
import type { ReleaseRunCommand, RunCommand } from '../../commands.ts';
import { nothingAwaited } from '../effects/tree-effects.ts';
import { done } from '../replies.ts';
import type { Outcome } from '../rounds/job.ts';
import type { WorkContext } from '../rounds/work-context.ts';
import { ownRun, runOf } from './own-run.ts';
import { quarantineSlice } from './quarantine.ts';

/** A command on a held tree. Only a cancel is accepted: it ends the tree without computing it. */
export async function commandOnHeld(context: WorkContext, given: RunCommand): Promise<Outcome> {
  const { store, clock, held, replies } = context;
  const row = await runOf(store, given);
  if (given.kind !== 'cancel-run') throw new BatonError('run_held', undefined, { runId: row.rootId });
  const now = clock.now();
  const slice = await quarantineSlice(store, row.rootId, now);
  const reply = done({ kind: 'run', runId: given.runId, status: 'failed' });
  const idempotency = replies.remember(given, reply, now);
  held.ended(row.rootId);
  return {
    reply,
    ...(slice && { slice: { ...slice, ...(idempotency && { idempotency }) } }),
    effects: nothingAwaited(row.rootId),
  };
}

export async function releaseRun(context: WorkContext, given: ReleaseRunCommand): Promise<Outcome> {
  const { store, clock, held, replies } = context;
  const { runId, caller } = given;
  const row = await ownRun(store, { runId: rootRunId(runId), caller });
  if (!(await held.release(row.rootId))) {
    throw new BatonError('run_state_conflict', 'The run is not held.', { runStatus: row.status });
  }
  const { rootId, status } = row;
  const reply = done({ kind: 'run', runId: rootId, status });
  const idempotency = replies.remember(given, reply, clock.now());
  return { reply, unfinished: rootId, ...(idempotency && { slice: { rootId, runs: [], idempotency } }) };
}
