import { BatonError, type WorkflowDefinition } from '@baton/client';
import { queryOptions } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';

/**
 * The definition that a run has, which need not be the newest one. Without one, such as for an agent, the graph has the
 * nodes that the log names.
 */
export const definitionQuery = (workflowId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ['definition', workflowId, version] as const,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<WorkflowDefinition | null> => {
      try {
        return await baton.workflows.read(workflowId, { signal, ...(version !== undefined && { version }) });
      } catch (error) {
        if (error instanceof BatonError && (error.status === 404 || error.status === 403)) return null;
        throw error;
      }
    },
  });
