import { queryOptions } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'list'],
  queryFn: ({ signal }) => baton.agents.list({ signal }),
  staleTime: 30_000,
});

export function agentQuery(agentId: string) {
  return queryOptions({
    queryKey: ['agents', 'one', agentId],
    queryFn: ({ signal }) => baton.agents.read(agentId, { signal }),
    staleTime: 30_000,
  });
}

export function toolsQuery(agentId: string) {
  return queryOptions({
    queryKey: ['agents', 'tools', agentId],
    queryFn: ({ signal }) => baton.agents.tools(agentId, { signal }),
    staleTime: 30_000,
  });
}

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => baton.models({ signal }),
  staleTime: 30_000,
});

/** The newest runs of an agent. The host keeps an agent as a workflow with this id. */
export function agentRunsQuery(agentId: string, limit: number) {
  return queryOptions({
    queryKey: ['runs', 'of-agent', agentId, limit],
    queryFn: async ({ signal }) =>
      (await baton.runs.page({ workflowId: `agent:${agentId}`, limit, signal })).runs,
  });
}
