import { type JsonObject, type RunError, runError } from '@baton/protocol';
import { chain } from './handoff/chain.ts';
import { gateOf } from './handoff/gate.ts';
import { goesBy } from './rules.ts';
import { type Handoff, type HandoffState, handoffOf, isEnded, type Run } from './run.ts';
import { childTurn, emit, type Turn } from './turn.ts';

/** How runs end before their work is done, and what that does to the runs below them. */

export function failRun(turn: Turn, error: RunError, failedNodeId?: string, cause?: string): void {
  stopActive(turn, 'run-failed');
  emit(turn, 'run.failed', { error, ...(failedNodeId && { failedNodeId }) }, undefined, cause);
}

export interface CancelWords {
  readonly reason?: string;
  readonly by?: string;
  /** Set when the cancel came down from the parent. */
  readonly parentRunId?: string;
}

/** Cancels the run and everything below it, children first. Ended runs stay as they are. */
export function cancelRun(turn: Turn, words: CancelWords): void {
  if (isEnded(turn.run)) return;
  stopActive(turn, 'run-cancelled');
  emit(turn, 'run.cancelled', {
    ...(words.reason && { reason: words.reason }),
    ...(words.by && { cancelledBy: words.by }),
    ...(words.parentRunId && { parentRunId: words.parentRunId }),
  });
  turn.tree.agenda.push(turn.run.runId);
}

function stopActive(turn: Turn, reason: string): void {
  for (const nodeId of turn.run.active) {
    stopChild(turn, nodeId);
    emit(turn, 'node.cancelled', { nodeId, reason }, nodeId);
  }
}

/** Stops what the node waits for. It takes its running child with it, unless the node was told to let go of its child. */
export function stopChild(turn: Turn, nodeId: string): void {
  stopWork(turn, nodeId);
  leaveGate(turn, nodeId);
}

/** Outputs that are still at the gate will never be in the parent, and the log says so. */
function leaveGate(turn: Turn, nodeId: string): void {
  const handoff = handoffOf(turn.run, nodeId);
  const node = turn.plan.nodes.get(nodeId);
  if (handoff?.childRunId === undefined || node === undefined || !goesBy(turn.run, 1)) return;
  if (!AT_GATE.includes(handoff.state) || gateOf(node) === undefined) return;
  const { workerId, childRunId, attestation, verdict } = handoff;
  const payload = {
    workerId,
    childRunId,
    merged: false,
    why: 'stopped' as const,
    ...(attestation && { attestation }),
    ...(verdict && { verdict: verdict.given }),
  };
  emit(turn, 'baton.merge.settled', payload, nodeId, verdict?.eventId ?? handoff.lastId);
}

const AT_GATE: readonly HandoffState[] = ['completed', 'harvested', 'verifying', 'verified', 'approving'];

function stopWork(turn: Turn, nodeId: string): void {
  const state = turn.run.nodes[nodeId];
  if (state?.status !== 'running') return;
  const words = { reason: 'parent-cancelled', parentRunId: turn.run.runId };
  if (state.wait.for === 'child') {
    const child = childTurn(turn, state.wait.childRunId);
    if (child && keepsHold(turn, nodeId)) cancelRun(child, words);
    return;
  }
  const handoff = state.wait.for === 'workers' ? state.wait.handoff : undefined;
  if (handoff?.state === 'verifying') {
    const critic = handoff.critic && childTurn(turn, handoff.critic.runId);
    if (critic) cancelRun(critic, words);
    return;
  }
  if (handoff?.state !== 'running' || handoff.childRunId === undefined) return;
  const child = childTurn(turn, handoff.childRunId);
  if (child === undefined) return;
  cancelRun(child, words);
  recordEnd(turn, nodeId, handoff, child.run);
}

/** The transition that the child's own end calls for, and no other. */
export function recordEnd(turn: Turn, nodeId: string, handoff: Handoff, child: Run): string {
  const { runId: childRunId, phase } = child;
  if (phase.kind !== 'ended') return handoff.lastId;
  switch (phase.status) {
    case 'completed':
      return chain(turn, nodeId, handoff, 'child.completed', { childRunId });
    case 'failed': {
      const error = phase.error ?? runError('child_failed');
      return chain(turn, nodeId, handoff, 'child.failed', { childRunId, error });
    }
    case 'cancelled':
      return chain(turn, nodeId, handoff, 'child.cancelled', {
        childRunId,
        error: runError('child_cancelled'),
      });
  }
}

function keepsHold(turn: Turn, nodeId: string): boolean {
  const config: JsonObject | undefined = turn.plan.nodes.get(nodeId)?.config;
  return config?.propagateCancellation !== false;
}
