import type { Decision } from '@baton/protocol';
import { recordedHere } from '../replay/source.ts';
import { emit, type Turn } from '../turn.ts';
import { ask } from './asking.ts';

/** The floor that no host may lower: below it a decision is worth less than a coin's. */
export const LOWEST_FLOOR = 0.5;

/**
 * Puts a recorded decision before a person when it is not sure enough. The escalation is recorded first,
 * then the question; nothing of the decision happens before the answer. No stated confidence is no doubt.
 */
export function escalateBelowFloor(
  turn: Turn,
  nodeId: string,
  decision: Decision,
  decidedId: string,
): boolean {
  if (decision.kind !== 'next-worker' && decision.kind !== 'terminate') return false;
  const { confidence } = decision;
  const floor = floorHere(turn);
  if (!turn.run.chainEvents || confidence === undefined || confidence >= floor) return false;
  const workerId = decision.kind === 'next-worker' ? decision.nextWorkerIds[0] : undefined;
  emit(
    turn,
    'core.workflowChain.confidence-escalated',
    {
      confidence,
      floor,
      escalationKind: 'escalate',
      ...(workerId !== undefined && { workerId }),
      parentRunId: turn.run.runId,
      originalDecision: decision,
    },
    nodeId,
    decidedId,
  );
  const title = `The supervisor is not sure enough (${confidence}, at least ${floor} is asked): ${decision.kind}`;
  askAboutDecision(turn, nodeId, decision, title);
  return true;
}

/** A replay escalates where its source did, whatever floor the operator has set since. */
function floorHere(turn: Turn): number {
  const recorded = recordedHere(turn);
  if (recorded === undefined || recorded === 'unknown') return turn.tree.world.confidenceFloor;
  const { event } = recorded;
  return event.type === 'core.workflowChain.confidence-escalated' ? event.payload.floor : 0;
}

/** A run whose critic said no does not end as if nothing were the matter: a person decides that. */
export function escalateUnresolved(turn: Turn, nodeId: string, decision: Decision): boolean {
  const { unresolved } = turn.run;
  if (decision.kind !== 'terminate' || unresolved.length === 0) return false;
  const title = `The supervisor wants to end, but a critic turned down the work of ${unresolved.join(', ')}`;
  askAboutDecision(turn, nodeId, decision, title);
  return true;
}

/** Accept goes ahead, edit-accept puts another decision in its place, reject makes the supervisor think again. */
function askAboutDecision(turn: Turn, nodeId: string, decision: Decision, title: string): void {
  ask(turn, nodeId, (key) => ({
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
