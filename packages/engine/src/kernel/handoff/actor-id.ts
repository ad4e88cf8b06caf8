import type { Run } from '../run.ts';

/** The shortest agent id that the protocol allows. */
const SHORTEST = 3;

/**
 * The id of the actor of a run: its agent, or else its workflow. The same rule holds for workers and for
 * critics. So a worker that judges its own work can be recognised: both ids are equal. A workflow id that is
 * too short for an agent id gets the prefix `workflow:`.
 */
export function actorId(run: Pick<Run, 'agent' | 'workflowId'>): string {
  return run.agent?.agentId ?? workflowActor(run.workflowId);
}

/** The actor id for a workflow of which no run was started. */
export function workflowActor(workflowId: string): string {
  return workflowId.length < SHORTEST ? `workflow:${workflowId}` : workflowId;
}
