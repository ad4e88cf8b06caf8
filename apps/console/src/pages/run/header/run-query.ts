import type { RunSnapshot } from '@baton/client';
import { queryOptions, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { baton } from '../../../api/baton.ts';
import { useRunViews } from '../follow/run-context.tsx';

const runQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId] as const,
    queryFn: ({ signal }) => baton.run(runId).snapshot({ signal }),
  });

/** The open questions of a run and its descendants. */
export const questionsQuery = (runId: string) =>
  queryOptions({
    queryKey: ['run', runId, 'questions'] as const,
    queryFn: ({ signal }) => baton.run(runId).interrupts({ signal }),
  });

/** The pause between two readings while events come in. */
const PAUSE_MS = 400;

/** The run as the host tells it, read again after events of the run have come. */
export function useRunSnapshot(runId: string): UseQueryResult<RunSnapshot> {
  const { store } = useRunViews();
  const queries = useQueryClient();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = statusChanges(runId, store.tree.runs);
    const leave = store.subscribe(() => {
      const now = statusChanges(runId, store.tree.runs);
      if (now === seen || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        seen = statusChanges(runId, store.tree.runs);
        void queries.invalidateQueries({ queryKey: ['run', runId] });
      }, PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [runId, store, queries]);
  return useQuery(runQuery(runId));
}

/** Counts how often the status of the run, or the questions of its descendants, have changed. */
function statusChanges(
  runId: string,
  runs: ReadonlyMap<string, { readonly status: readonly unknown[] }>,
): number {
  let count = 0;
  for (const [id, { status }] of runs) count += id === runId ? 1 + status.length : status.length - 1;
  return count;
}

interface ForkFacts {
  readonly sourceRunId: string;
  readonly fromSeq: number;
  readonly mode: string;
}

/** Where a fork came from. Absent for a run that is no fork. */
export function forkOf(run: RunSnapshot): ForkFacts | undefined {
  const { fork } = run as { readonly fork?: ForkFacts };
  return fork;
}
