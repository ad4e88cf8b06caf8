import type { Decision } from '@baton/protocol';
import { recordedHere } from '../replay/source.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { ask } from './asking.ts';

/** No host may set a lower floor: a confidence below 0.5 is worse than chance. */
export const LOWEST_FLOOR = 0.5;

/**
 * Asks a person when the confidence of a recorded decision is below the floor. The escalation is recorded
 * first, then the question. No node acts on the decision before the answer. A decision without a stated
 * confidence is never escalated.
 */
export function escalateBelowFloor(
  working: WorkingRun,
  nodeId: string,
  decision: Decision,
  decidedId: string,
): boolean {
  if (decision.kind !== 'next-worker' && decision.kind !== 'terminate') return false;
  const { confidence } = decision;
  const floor = floorHere(working);
  if (!working.run.chainEvents || confidence === undefined || confidence >= floor) return false;
  const workerId = decision.kind === 'next-worker' ? decision.nextWorkerIds[0] : undefined;
  emit(
    working,
    'core.workflowChain.confidence-escalated',
    {
      confidence,
      floor,
      escalationKind: 'escalate',
      ...(workerId !== undefined && { workerId }),
      parentRunId: working.run.runId,
      originalDecision: decision,
    },
    nodeId,
    decidedId,
  );
  const title = `The supervisor is not sure enough (${confidence}, at least ${floor} is asked): ${decision.kind}`;
  askAboutDecision(working, nodeId, decision, title);
  return true;
}

/** A replay escalates where its source did, even if the operator has changed the floor since. */
function floorHere(working: WorkingRun): number {
  const recorded = recordedHere(working);
  if (recorded === undefined || recorded === 'unknown') return working.tree.world.confidenceFloor;
  const { event } = recorded;
  return event.type === 'core.workflowChain.confidence-escalated' ? event.payload.floor : 0;
}

/** When a critic has failed a worker, the supervisor cannot end the run alone: a person decides. */
export function escalateUnresolved(working: WorkingRun, nodeId: string, decision: Decision): boolean {
  const { unresolved } = working.run;
  if (decision.kind !== 'terminate' || unresolved.length === 0) return false;
  const title = `The supervisor wants to end, but a critic turned down the work of ${unresolved.join(', ')}`;
  askAboutDecision(working, nodeId, decision, title);
  return true;
}

/** A critic passed the decision, but with a confidence below the floor. */
export function escalateUnsureCritic(working: WorkingRun, nodeId: string, decision: Decision): void {
  const title = `A critic passed the decision of the supervisor, but was not sure enough: ${decision.kind}`;
  askAboutDecision(working, nodeId, decision, title);
}

/** `accept` keeps the decision, `edit-accept` replaces it, `reject` makes the supervisor decide again. */
function askAboutDecision(working: WorkingRun, nodeId: string, decision: Decision, title: string): void {
  ask(working, nodeId, (key) => ({
    kind: 'approval',
    key,
    data: {
      artifactId: key,
      artifactType: 'orchestrator-decision',
      title,
      artifactData: { ...decision },
      actions: ['accept', 'edit-accept', 'reject'],
    },
  }));
}
