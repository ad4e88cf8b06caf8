import { BatonError, type RunEvent } from '@baton/protocol';
import { viewOfMemory } from '../../kernel/fold/evolve-fork.ts';
import type { Run } from '../../kernel/run.ts';
import { isKept } from '../../ports/memory.ts';
import type { RunRow, Store } from '../../ports/store.ts';

/** The parts of the source's history that a fork needs, and the errors for missing parts. */

/** A fork is accepted only when all versions of memory that it will see are still kept. */
export async function requireMemory(
  store: Store,
  state: Run,
  source: RunRow,
  fromSeq: number,
): Promise<void> {
  for (const layer of viewOfMemory(state.memory)) {
    const head = await store.scope(state.tenant, layer.scope);
    if (isKept(head, layer)) continue;
    const moves = head !== undefined && layer.scope === state.memory.scope && state.runId === source.runId;
    const from = moves ? await firstIndexWith(store, layer.scope, source, fromSeq, head.oldest) : undefined;
    throw historyGone(source, fromSeq, 'retention_expired', from);
  }
}

const PAGE = 256;

/** The first index at which a fork can begin and the version of the memory scope is still kept. */
async function firstIndexWith(
  store: Store,
  scope: string,
  source: RunRow,
  fromSeq: number,
  oldest: number,
): Promise<number | undefined> {
  let isKeptFrom = Number.POSITIVE_INFINITY;
  for (let from = fromSeq; from < source.head; from += PAGE) {
    for (const { text, starts } of await store.placedEvents(source.runId, from, PAGE)) {
      const { payload, sequence } = JSON.parse(text) as RunEvent;
      // The step that made the version may record further events, and a fork cannot begin within a step.
      if (starts && sequence >= isKeptFrom) return sequence;
      const isOurs = 'memoryRef' in payload && 'version' in payload && payload.memoryRef === scope;
      if (isOurs && payload.version >= oldest) isKeptFrom = Math.min(isKeptFrom, sequence + 1);
    }
  }
  return isKeptFrom <= source.head ? source.head : undefined;
}

/** The error for a branch at an index where the run has ended. */
export async function endedThere(
  store: Store,
  source: RunRow,
  { phase }: Run,
  fromSeq: number,
): Promise<BatonError> {
  const status = phase.kind === 'ended' ? phase.status : source.status;
  const newest = await stepAt(store, source.runId, source.head - 1);
  const message = `At this index the run is already ${status}, so a branch would have nothing to do; branch at index ${newest} or before, where its last step begins.`;
  return new BatonError('fork_point_not_found', message, {
    fromSeq,
    runStatus: status,
    newestFromSeq: newest,
  });
}

/** The first index of the step that contains the event at `index`. */
export async function stepAt(store: Store, runId: string, index: number): Promise<number> {
  for (let before = index + 1; before > 0; before -= PAGE) {
    const from = Math.max(0, before - PAGE);
    const page = await store.placedEvents(runId, from, before - from);
    const at = page.findLastIndex(({ starts }) => starts);
    if (at >= 0) return from + at;
  }
  return 0;
}

export function logGone(source: RunRow, fromSeq: number): BatonError {
  const reason = source.purgedAt === undefined ? 'event_log_unavailable' : 'retention_expired';
  return historyGone(source, fromSeq, reason);
}

export function historyGone(
  source: RunRow,
  fromSeq: number,
  reason: 'retention_expired' | 'event_log_unavailable',
  oldestAvailableIdx?: number,
): BatonError {
  const later =
    oldestAvailableIdx === undefined
      ? undefined
      : `The memory of the run at index ${fromSeq} is no longer kept; fork it at index ${oldestAvailableIdx} (details.oldestAvailableIdx) or later.`;
  return new BatonError('replay_memory_snapshot_unavailable', later, {
    fromSeq,
    sourceRunId: source.runId,
    reason,
    ...(oldestAvailableIdx !== undefined && { oldestAvailableIdx }),
  });
}
