import { queryOptions } from '@tanstack/react-query';
import { baton } from './baton.ts';

export const workflowsQuery = queryOptions({
  queryKey: ['workflows', 'names'],
  queryFn: ({ signal }) => baton.workflows.list({ signal }),
  staleTime: 30_000,
});

/** A workflow as it is run. */
export function workflowQuery(workflowId: string) {
  return queryOptions({
    queryKey: ['workflows', 'definition', workflowId],
    queryFn: ({ signal }) => baton.workflows.read(workflowId, { signal }),
    staleTime: 30_000,
  });
}
