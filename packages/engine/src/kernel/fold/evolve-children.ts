import type { EventOf } from '@baton/protocol';
import { type NodeState, type Run, type SettledMerge, workersWait } from '../run.ts';

/** The part of the fold that keeps which children gave up, and which ones no node waits for. */

export function evolveChildEnded(run: Run, { payload }: EventOf<'baton.child.ended'>): Run {
  const { childRunId, childWorkflowId, goalMet } = payload;
  const { detached = [], ...rest } = goalMet === false ? withUnmet(run, childWorkflowId) : run;
  const left = detached.filter((child) => child.childRunId !== childRunId);
  return left.length === 0 ? rest : { ...rest, detached: left };
}

/** A child of the workflow completed; whether it met its goal is told by an event of its own. */
export function withoutUnmet(run: Run, workflowId: string): Run {
  if (!run.unmet?.includes(workflowId)) return run;
  return { ...run, unmet: run.unmet.filter((id) => id !== workflowId) };
}

function withUnmet(run: Run, workflowId: string): Run {
  return { ...run, unmet: [...(run.unmet ?? []).filter((id) => id !== workflowId), workflowId] };
}

/** The node completes while its child goes on. */
export function lettingGo(run: Run, { nodeId, outputs }: EventOf<'node.completed'>['payload']): Run {
  const state = run.nodes[nodeId];
  const wait = state?.status === 'running' ? state.wait : undefined;
  if (wait?.for !== 'child' || outputs?.childStatus !== 'running') return run;
  return { ...run, detached: [...(run.detached ?? []), { nodeId, childRunId: wait.childRunId }] };
}

/**
 * A sub-workflow whose outputs a critic turned down, or an agent whose decision it turned down, has ended, and its
 * author has said what happens then: it absorbs that, or another node takes its failure. So the verdict no longer stands in the way of the run, but its goal is not
 * met either.
 */
export function pastVerdict(run: Run, nodeId: string): Run {
  const state = run.nodes[nodeId];
  const review = state?.status === 'running' ? state.review : undefined;
  if (review?.agentId !== undefined && review.verdict !== undefined) {
    return review.verdict === 'pass' ? withoutUnmet(run, review.agentId) : withUnmet(run, review.agentId);
  }
  const refused = settledAt(run, nodeId)?.at(-1);
  const isSubWorkflow = run.nodes[nodeId]?.typeId === 'core.subWorkflow';
  if (refused?.why !== 'verdict-failed' || !isSubWorkflow) return run;
  const unresolved = run.unresolved.filter((id) => id !== refused.workerId);
  return { ...withUnmet(run, refused.workerId), unresolved };
}

/** How the gate decided about the workers of a node, to be kept when the node ends without outputs. */
function settledAt(run: Run, nodeId: string): readonly SettledMerge[] | undefined {
  return workersWait(run, nodeId)?.settled;
}

export function withSettled<S extends NodeState>(run: Run, nodeId: string, state: S): S {
  const settled = settledAt(run, nodeId);
  return settled === undefined ? state : { ...state, settled };
}
