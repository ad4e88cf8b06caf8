import { type Decision, type EventOf, isJsonObject, type Json, laterBy } from '@baton/protocol';
import { type Decided, effectSteps, type OpenInterrupt, type Run, setWait, workersWait } from '../run.ts';
import { approving } from './evolve-handoff.ts';

/** The part of the fold for interrupts: requests, votes and answers. */

export function interruptRequested(run: Run, event: EventOf<'interrupt.requested'>, at: number): Run {
  if (event.nodeId === undefined) return run;
  const request = event.payload;
  const open: OpenInterrupt = {
    key: request.key,
    nodeId: event.nodeId,
    request,
    requestId: event.eventId,
    requestedAt: at,
    ...(request.timeoutMs !== undefined && { expiresAt: laterBy(at, request.timeoutMs) }),
    votes: {},
  };
  const artifacts =
    request.kind === 'approval'
      ? { ...run.artifacts, [request.data.artifactId]: event.sequence }
      : run.artifacts;
  const next = { ...run, artifacts, interrupts: { ...run.interrupts, [request.key]: open } };
  const decided = decidedIn(run, event.nodeId);
  const workers = approving(workersWait(run, event.nodeId));
  const steps = effectSteps(run, event.nodeId);
  return setWait(next, event.nodeId, {
    for: 'answer',
    key: request.key,
    ...(decided && { decided }),
    ...(workers && { workers }),
    ...(steps.length > 0 && { steps }),
  });
}

/**
 * A rejected decision is removed, so that no node acts on it. An edited decision is replaced by the edit; its
 * turn and its event id stay the same.
 */
export function interruptResolved(run: Run, event: EventOf<'interrupt.resolved'>): Run {
  const { nodeId, interruptId, outcome, resumeValue } = event.payload;
  const { [interruptId]: _closed, ...interrupts } = run.interrupts;
  const decided = decidedIn(run, nodeId);
  if (decided === undefined) {
    const steps = effectSteps(run, nodeId);
    const before = steps.length > 0 ? ({ for: 'effects', steps } as const) : workersWait(run, nodeId);
    return setWait({ ...run, interrupts }, nodeId, before ?? { for: 'nothing' });
  }
  const edited = outcome === 'answered' ? editedDecision(resumeValue) : undefined;
  if (edited !== undefined && run.decision !== undefined) {
    const decision = { ...run.decision, decision: edited };
    return setWait({ ...run, interrupts, decision }, nodeId, { for: 'nothing', decided: edited.kind });
  }
  if (outcome === 'answered') return setWait({ ...run, interrupts }, nodeId, { for: 'nothing', decided });
  const { decision: _rejected, ...rest } = run;
  return setWait({ ...rest, interrupts }, nodeId, { for: 'nothing', decided: 'rejected' });
}

/** The decision with which a person replaced that of the supervisor. It was checked before it was recorded. */
function editedDecision(answer: Json | undefined): Decision | undefined {
  if (!isJsonObject(answer) || answer.action !== 'edit-accept') return undefined;
  return answer.editedArtifactData as unknown as Decision;
}

/** The kind of the decision so far, if the node is a supervisor that has decided in its current turn. */
export function decidedIn(run: Run, nodeId: string): Decided | undefined {
  const state = run.nodes[nodeId];
  if (state?.status !== 'running') return undefined;
  return state.wait.for === 'nothing' || state.wait.for === 'answer' ? state.wait.decided : undefined;
}

export function voteReceived(run: Run, event: EventOf<'approval.received'>): Run {
  const { interruptId, action, voter } = event.payload;
  const open = run.interrupts[interruptId];
  if (open === undefined || voter === undefined) return run;
  if (action === 'refine' || action === 'timeout') return run;
  // An edit counts as an accept.
  const votes = { ...open.votes, [voter]: action === 'reject' ? action : ('accept' as const) };
  return { ...run, interrupts: { ...run.interrupts, [interruptId]: { ...open, votes } } };
}
