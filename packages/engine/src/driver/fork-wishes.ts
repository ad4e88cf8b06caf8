import { BatonError, type EventOf, ForkRun, parse, RetryRun, type RunEvent, runError } from '@baton/protocol';
import type { RunRow, Store } from '../ports/store.ts';
import type { ForkWishes } from './fork-run.ts';

/** What the callers of a fork and of a retry want, as a fork takes it. */

/** A replay has to be exact, so it takes nothing from its caller; a branch has to be told where to begin. */
export function wishesOf(given: ForkRun): ForkWishes {
  const { mode, fromSeq, models, runOptionsOverlay } = parse(ForkRun, given, 'fork');
  const refuse = (field: string, problem: string) =>
    new BatonError('validation_error', `fork: ${field} ${problem}`, { field });
  if (mode === 'branch') {
    if (fromSeq === undefined) throw refuse('fromSeq', 'is required for a branch');
    if (models === 'recorded') throw refuse('models', 'of a branch are always live');
    return { fromSeq, mode, models: 'live', ...(runOptionsOverlay && { overlay: runOptionsOverlay }) };
  }
  if (runOptionsOverlay && Object.keys(runOptionsOverlay).length > 0) {
    throw refuse('runOptionsOverlay', 'must be empty for a replay, which does what its source did');
  }
  return { fromSeq: fromSeq ?? 0, mode, models: models ?? 'recorded' };
}

export async function retryOf(store: Store, source: RunRow, body: RetryRun): Promise<ForkWishes> {
  const { runId, purgedAt } = source;
  if (purgedAt !== undefined) throw new BatonError('run_purged', undefined, { runId });
  const retry = await failureOf(store, source);
  const { runOptionsOverlay: overlay } = parse(RetryRun, body, 'retry');
  return { fromSeq: retry.sequence, mode: 'branch', models: 'live', ...(overlay && { overlay }), retry };
}

const PAGE = 256;

/** Where a failed run failed: the event that says so, if a node is to blame. */
async function failureOf(store: Store, source: RunRow): Promise<EventOf<'node.failed'>> {
  if (source.status !== 'failed') {
    throw new BatonError(
      'run_state_conflict',
      `Only a failed run can be retried; this one is ${source.status}.`,
      {
        runStatus: source.status,
      },
    );
  }
  let blamed: string | undefined;
  for (let before = source.head; before > 0; before -= PAGE) {
    const from = Math.max(0, before - PAGE);
    const page = await store.placedEvents(source.runId, from, before - from);
    for (const { text } of [...page].reverse()) {
      const event = JSON.parse(text) as RunEvent;
      if (event.type === 'run.failed') blamed = event.payload.failedNodeId ?? '';
      else if (event.type === 'node.failed' && event.payload.nodeId === blamed) return event;
      if (blamed === '') throw nothingToRetry(event);
    }
  }
  throw nothingToRetry();
}

function nothingToRetry(event?: RunEvent): BatonError {
  const why = event?.type === 'run.failed' ? event.payload.error : runError('run_quarantined');
  const message = `The run did not fail at a node (${why.code}), so there is none to try again; fork it at an earlier index instead.`;
  return new BatonError('run_state_conflict', message, { runStatus: 'failed' });
}
