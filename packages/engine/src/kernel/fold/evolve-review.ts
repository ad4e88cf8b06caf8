import { type EventOf, isJsonObject, type Verdict } from '@baton/protocol';
import { type CriticRun, effectSteps, type NodeState, type Run, setWait } from '../run.ts';

/** The part of the fold for critics that judge the decisions and the tool results of a node's agent. */

type Running = Extract<NodeState, { status: 'running' }>;

export function changed(run: Run, nodeId: string | undefined, change: (state: Running) => Running): Run {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  if (nodeId === undefined || state?.status !== 'running') return run;
  return { ...run, nodes: { ...run.nodes, [nodeId]: change(state) } };
}

export function agentDecided(run: Run, { nodeId, eventId, payload }: EventOf<'agent.decided'>): Run {
  const { agentId } = payload;
  return changed(run, nodeId, (state) => ({ ...state, review: { target: eventId, agentId } }));
}

export function reviewBegun(run: Run, nodeId: string | undefined, target: string, critic: CriticRun): Run {
  return changed(run, nodeId, (state) => {
    const { review } = state;
    return { ...state, review: { ...(review?.target === target && review), target, critic } };
  });
}

/** The verdict about a tool result stays with the call, because the model is told the result or the refusal. */
export function reviewed(run: Run, { nodeId, payload }: EventOf<'agent.verified'>): Run {
  if (nodeId === undefined) return run;
  const { target, verdict } = payload;
  const steps = effectSteps(run, nodeId);
  const at = steps.findIndex(({ effect: { request } }) => isJsonObject(request) && request.callId === target);
  if (at !== -1) {
    const judged = steps.map((step, index) => (index === at ? { ...step, verdict } : step));
    const settled = changed(run, nodeId, ({ review: _judged, ...state }) => state);
    return setWait(settled, nodeId, { for: 'effects', steps: judged });
  }
  return changed(run, nodeId, (state) =>
    state.review?.target === target ? { ...state, review: { ...state.review, verdict } } : state,
  );
}

/** An invocation begins. After a `revise`, it is the next attempt, which counts against the limit on loops. */
export function invocationBegun(run: Run, event: EventOf<'agent.invocation.started'>, at: number): Run {
  const { invocationId, agentId } = event.payload;
  const isRevision = verdictAt(run, event.nodeId) === 'revise';
  const counted = isRevision ? { ...run, revisions: (run.revisions ?? 0) + 1 } : run;
  return changed(counted, event.nodeId, ({ review: _before, ...state }) => ({
    ...state,
    invocation: { id: invocationId, agentId, startedAt: at },
    ...(isRevision && { revisions: (state.revisions ?? 0) + 1 }),
  }));
}

/** What a critic said of the last decision of the node's agent. */
function verdictAt(run: Run, nodeId: string | undefined): Verdict | undefined {
  const state = nodeId === undefined ? undefined : run.nodes[nodeId];
  return state?.status === 'running' ? state.review?.verdict : undefined;
}
