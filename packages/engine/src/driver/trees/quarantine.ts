import { type ErrorBody, eventId, type RunError, runError } from '@baton/protocol';
import { extendLink } from '../../audit/sha256.ts';
import { foldStored } from '../../fold.ts';
import { listedError } from '../../listed-state.ts';
import { leftWork } from '../../nodes/remote/left-work.ts';
import type { RemoteCancel } from '../../ports/peers/remote-cancels.ts';
import type { RunAdvance, Slice, Store } from '../../ports/store.ts';
import type { StoredRun } from '../../ports/stored-run.ts';
import { linkOf } from './chain-link.ts';

/**
 * Ends a tree from outside, after a defect or for another reason: each run that has not ended gets a
 * `run.failed` event. The events are made without folding, because the defect may be in the fold.
 */
export async function quarantineSlice(
  store: Store,
  rootId: string,
  now: number,
  error: RunError = runError('run_quarantined'),
): Promise<Slice | undefined> {
  const { newestPlace: from, runs: live } = await store.loadTree(rootId);
  if (live.length === 0) return undefined;
  const runs: RunAdvance[] = [];
  const cancels: RemoteCancel[] = [];
  for (const stored of live) {
    const { row } = stored;
    const text = JSON.stringify({
      eventId: eventId(row.runId, row.head),
      runId: row.runId,
      sequence: row.head,
      timestamp: new Date(now).toISOString(),
      type: 'run.failed',
      payload: { error },
    });
    const left = leftBy(stored, error, now);
    if (left) cancels.push(left);
    runs.push({
      runId: row.runId,
      expectedHead: row.head,
      events: [text],
      status: 'failed',
      chain: extendLink(await linkOf(store, stored), [text]),
      listed: { ...row.listed, error: listedError(error) },
      at: now,
      interruptsOpened: [],
      interruptsClosed: 'all',
    });
  }
  return {
    rootId,
    from,
    runs,
    effects: { owner: '', begun: [], settled: 'all' },
    ...(cancels.length > 0 && { cancels }),
    wake: { at: null, unfinished: false },
  };
}

/** Nothing is known about the work of a run that cannot be folded. */
function leftBy(stored: StoredRun, error: RunError, now: number): RemoteCancel | undefined {
  try {
    return leftWork(foldStored(stored), { phase: { kind: 'ended', status: 'failed', error } }, now);
  } catch {
    return undefined;
  }
}

export const DEFECT: ErrorBody = {
  error: 'internal_error',
  message: 'The host met a defect in this run and set it aside; the details are in its log.',
};

/** The reply to a command whose slice the store can never store. */
export const UNFIT: ErrorBody = {
  error: 'internal_error',
  message:
    'The host could not store the result of this request, so the request had no effect; the reason is in its log.',
};
