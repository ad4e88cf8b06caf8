import { BatonError, type RunEvent } from '@baton/protocol';
import { viewOfMemory } from '../../kernel/fold/evolve-fork.ts';
import type { Run } from '../../kernel/run.ts';
import { isKept } from '../../ports/memory.ts';
import type { RunRow, Store } from '../../ports/store.ts';

/** What a fork needs of its source's history, and what its caller is told where that is not there. */

/** A fork is accepted only when everything that it will see of memory can still be read. */
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

/** The first index that a fork can begin at and at which the run saw a version of its scope that is still kept. */
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
      // The step that made the version goes on for a while, and a fork does not begin within a step.
      if (starts && sequence >= isKeptFrom) return sequence;
      const isOurs = 'memoryRef' in payload && 'version' in payload && payload.memoryRef === scope;
      if (isOurs && payload.version >= oldest) isKeptFrom = Math.min(isKeptFrom, sequence + 1);
    }
  }
  return isKeptFrom <= source.head ? source.head : undefined;
}

/** A branch goes on from the cut, and from the end of a run there is nothing to go on to. */
export async function endedThere(
  store: Store,
  source: RunRow,
  { phase }: Run,
  fromSeq: number,
): Promise<BatonError> {
  const status = phase.kind === 'ended' ? phase.status : source.status;
  const newest = await stepAt(store, source.runId, source.head - 1);
  const message = `The run is ${status} there, so a branch would have nothing left to do; branch at index ${newest} or before, where its last step begins.`;
  return new BatonError('fork_point_not_found', message, {
    fromSeq,
    runStatus: status,
    newestFromSeq: newest,
  });
}

/** The index at which the step begins that the event at `index` belongs to. */
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
      : `What the run remembered at index ${fromSeq} is no longer kept; fork it at index ${oldestAvailableIdx} (details.oldestAvailableIdx) or later.`;
  return new BatonError('replay_memory_snapshot_unavailable', later, {
    fromSeq,
    sourceRunId: source.runId,
    reason,
    ...(oldestAvailableIdx !== undefined && { oldestAvailableIdx }),
  });
}
