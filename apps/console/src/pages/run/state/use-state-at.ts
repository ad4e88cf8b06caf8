import type { RunState } from '@baton/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { baton } from '../../../api/baton.ts';
import { readState, readStateIfKept } from './kept-states.ts';

/** The state after an event, and the state before it. */
export interface StatePair {
  readonly after: RunState;
  /** Absent when the state before can no longer be read, or when the run has no events. */
  readonly before?: RunState;
}

/** A slider that moves asks for many states; only the ones at which it rests are read. */
const REST_MS = 120;
const EVERY_MS = 3_000;
const ENDED: readonly string[] = ['completed', 'failed', 'cancelled'];

/**
 * The state of a run after the event `at`, or now. While another state is on its way, the last one is shown. A request
 * whose answer is no longer wanted is cancelled.
 */
export function useStateAt(runId: string, at: number | undefined) {
  const resting = useResting(at);
  const query = useQuery({
    queryKey: ['state-pair', runId, resting ?? 'now'],
    queryFn: ({ signal }) => readPair(runId, resting, signal),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 0,
    staleTime: resting === undefined ? 0 : Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) =>
      resting === undefined && !ENDED.includes(state.data?.after.status ?? '') ? EVERY_MS : false,
  });
  return { ...query, isBehind: query.isPlaceholderData || resting !== at };
}

async function readPair(runId: string, at: number | undefined, signal: AbortSignal): Promise<StatePair> {
  if (at !== undefined) {
    const [before, after] = await Promise.all([
      readStateIfKept(runId, at, signal),
      readState(runId, at + 1, signal),
    ]);
    return { after, ...(before && { before }) };
  }
  const after = await baton.run(runId).state({ signal });
  const before = after.at === 0 ? undefined : await readStateIfKept(runId, after.at - 1, signal);
  return { after, ...(before && { before }) };
}

/** The value once it has not changed for a moment. The first value counts at once. */
function useResting<T>(value: T): T {
  const [resting, setResting] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setResting(value), REST_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return resting;
}
