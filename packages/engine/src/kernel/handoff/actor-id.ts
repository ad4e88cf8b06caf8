import type { Run } from '../run.ts';

/** The shortest name that the protocol takes for an agent. */
const SHORTEST = 3;

/**
 * Who does the work of a run: its agent, or else its workflow. Workers and critics are named by this one rule, so that
 * a worker that judges itself can be seen to do so: the names are equal. A workflow whose id is too short for the
 * name of an agent has its kind in front of it.
 */
export function actorId(run: Pick<Run, 'agent' | 'workflowId'>): string {
  return run.agent?.agentId ?? workflowActor(run.workflowId);
}

/** The name of a workflow that no run was started of. */
export function workflowActor(workflowId: string): string {
  return workflowId.length < SHORTEST ? `workflow:${workflowId}` : workflowId;
}
