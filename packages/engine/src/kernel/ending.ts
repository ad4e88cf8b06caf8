import { type JsonObject, type RunError, runError } from '@baton/protocol';
import { chain } from './handoff/chain.ts';
import { type Handoff, isEnded, type Run } from './run.ts';
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

/** Takes the node's running child with it, unless the node was told to let go of its child. */
export function stopChild(turn: Turn, nodeId: string): void {
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
