import { queryOptions } from '@tanstack/react-query';
import { baton } from '../../api/baton.ts';

export const WORKFLOWS_KEY = ['workflows'] as const;

/** The newest runs of a workflow. */
export function newestRunsQuery(workflowId: string, limit: number) {
  return queryOptions({
    queryKey: ['runs', 'of-workflow', workflowId, limit],
    queryFn: async ({ signal }) => (await baton.runs.page({ workflowId, limit, signal })).runs,
  });
}
