import type { RunSnapshot, RunState, WorkflowDefinition } from '@baton/client';
import { useQuery } from '@tanstack/react-query';
import { baton } from '../../../api/baton.ts';

/** What the dialog needs to know of the run that is forked. */
export interface ForkSource {
  readonly snapshot: RunSnapshot;
  /** Absent when this person may not read workflows, or when the workflow was removed. */
  readonly definition?: WorkflowDefinition;
}

export function useForkSource(runId: string, open: boolean) {
  return useQuery({
    queryKey: ['fork-source', runId],
    enabled: open,
    queryFn: async ({ signal }): Promise<ForkSource> => {
      const snapshot = await baton.run(runId).snapshot({ signal });
      const definition = await baton.workflows.read(snapshot.workflowId, { signal }).catch(() => undefined);
      return { snapshot, ...(definition && { definition }) };
    },
  });
}

/** The state with which a branch begins. It is read while a branch is being prepared. */
export function useStateBefore(runId: string, at: number, wanted: boolean) {
  return useQuery({
    queryKey: ['fork-state', runId, at],
    enabled: wanted,
    gcTime: 0,
    queryFn: ({ signal }): Promise<RunState> => baton.run(runId).stateAt(at, { signal }),
  });
}
