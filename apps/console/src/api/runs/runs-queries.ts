import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { baton } from '../baton.ts';
import type { RunFilters } from './filters.ts';
import type { ListedRuns, RunsPage } from './listed-runs.ts';

export const RUN_LISTS_KEY = ['runs', 'list'] as const;
export const LATEST_RUNS_KEY = ['runs', 'latest'] as const;

const PAGE_SIZE = 100;

export type RunListKey = readonly [...typeof RUN_LISTS_KEY, RunFilters];

/** Runs, newest first, page by page. The live feed keeps it current, so it is never read again by itself. */
export function runListQuery(filters: RunFilters) {
  return infiniteQueryOptions<RunsPage, Error, ListedRuns, RunListKey, string | undefined>({
    queryKey: [...RUN_LISTS_KEY, filters],
    queryFn: ({ pageParam, signal }) => readPage(filters, pageParam, PAGE_SIZE, signal),
    initialPageParam: undefined,
    getNextPageParam: (page) => page.nextCursor,
    staleTime: 30_000,
  });
}

/** The first runs of a list, for overviews. */
export function latestRunsQuery(filters: RunFilters, count: number) {
  return queryOptions({
    queryKey: [...LATEST_RUNS_KEY, filters, count],
    queryFn: async ({ signal }) => (await readPage(filters, undefined, count, signal)).runs,
  });
}

function readPage(
  { q, statuses, workflowId, roots }: RunFilters,
  cursor: string | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<RunsPage> {
  return baton.runs.page({
    limit,
    ...(roots && { roots }),
    ...(q !== undefined && { q }),
    ...(statuses !== undefined && { status: statuses }),
    ...(workflowId !== undefined && { workflowId }),
    ...(cursor !== undefined && { cursor }),
    signal,
  });
}
