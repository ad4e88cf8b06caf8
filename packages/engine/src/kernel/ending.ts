import { type JsonObject, type RunError, runError } from '@baton/protocol';
import { carryUsage } from './agents/carry-usage.ts';
import { closeInvocation } from './agents/close-invocation.ts';
import { gateOf } from './handoff/gate.ts';
import { recordTransition } from './handoff/transitions.ts';
import { criticAtWork, type Handoff, type HandoffState, handoffOf, isEnded, type Run } from './run.ts';
import { emit, type WorkingRun, workingChild } from './working-run.ts';

/** Ends runs that fail or are cancelled, and the runs below them. */

export function failRun(working: WorkingRun, error: RunError, failedNodeId?: string, cause?: string): void {
  const wasPaused = working.run.phase.kind === 'paused';
  stopActive(working, 'run-failed');
  emit(working, 'run.failed', { error, ...(failedNodeId && { failedNodeId }) }, undefined, cause);
  if (wasPaused) letDescendantsGoOn(working);
}

/** A pause ends with its run. A child that was not stopped with the run, because of its configuration, goes on. */
function letDescendantsGoOn({ run, tree }: WorkingRun): void {
  for (const other of tree.runs.values()) {
    if (other.run.runId.startsWith(`${run.runId}.`) && !isEnded(other.run)) tree.agenda.push(other.run.runId);
  }
}

interface CancelWords {
  readonly reason?: string;
  readonly by?: string;
  /** Set when the run was cancelled because its parent was stopped. */
  readonly parentRunId?: string;
}

/** Cancels the run and everything below it, children first. Ended runs stay as they are. */
export function cancelRun(working: WorkingRun, words: CancelWords): void {
  if (isEnded(working.run)) return;
  const wasPaused = working.run.phase.kind === 'paused';
  stopActive(working, 'run-cancelled');
  emit(working, 'run.cancelled', {
    ...(words.reason && { reason: words.reason }),
    ...(words.by && { cancelledBy: words.by }),
    ...(words.parentRunId && { parentRunId: words.parentRunId }),
  });
  if (wasPaused) letDescendantsGoOn(working);
  working.tree.agenda.push(working.run.runId);
}

function stopActive(working: WorkingRun, reason: string): void {
  for (const nodeId of working.run.active) {
    stopChild(working, nodeId);
    closeInvocation(working, nodeId, 'failed');
    emit(working, 'node.cancelled', { nodeId, reason }, nodeId);
  }
}

/**
 * Stops the work of a node: cancels its child, worker or critic. A child of a node with
 * `propagateCancellation: false` goes on.
 */
export function stopChild(working: WorkingRun, nodeId: string): void {
  stopWork(working, nodeId);
  leaveGate(working, nodeId);
}

/** Records that outputs which are still at the merge gate were not merged. */
function leaveGate(working: WorkingRun, nodeId: string): void {
  const handoff = handoffOf(working.run, nodeId);
  const node = working.plan.nodes.get(nodeId);
  if (handoff?.childRunId === undefined || node === undefined) return;
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
  emit(working, 'baton.merge.settled', payload, nodeId, verdict?.eventId ?? handoff.lastId);
}

const AT_GATE: readonly HandoffState[] = ['completed', 'harvested', 'verifying', 'verified', 'approving'];

function stopWork(working: WorkingRun, nodeId: string): void {
  const state = working.run.nodes[nodeId];
  if (state?.status !== 'running') return;
  const words = { reason: 'parent-cancelled', parentRunId: working.run.runId };
  const asked = criticAtWork(state);
  const judging = asked && workingChild(working, asked.runId);
  if (judging) {
    cancelRun(judging, words);
    carryUsage(working, nodeId, judging.run);
    return;
  }
  if (state.wait.for === 'child') {
    const child = workingChild(working, state.wait.childRunId);
    if (child && keepsHold(working, nodeId)) cancelRun(child, words);
    return;
  }
  const handoff = state.wait.for === 'workers' ? state.wait.handoff : undefined;
  if (handoff?.state === 'verifying') {
    const critic = handoff.critic && workingChild(working, handoff.critic.runId);
    if (critic) cancelRun(critic, words);
    return;
  }
  if (handoff?.state !== 'running' || handoff.childRunId === undefined) return;
  const child = workingChild(working, handoff.childRunId);
  if (child === undefined) return;
  cancelRun(child, words);
  recordEnd(working, nodeId, handoff, child.run);
}

/** Records the transition that corresponds to the status of the ended child. */
export function recordEnd(working: WorkingRun, nodeId: string, handoff: Handoff, child: Run): string {
  const { runId: childRunId, phase } = child;
  if (phase.kind !== 'ended') return handoff.lastId;
  carryUsage(working, nodeId, child);
  switch (phase.status) {
    case 'completed':
      return recordTransition(working, nodeId, handoff, 'child.completed', { childRunId });
    case 'failed': {
      const error = phase.error ?? runError('child_failed');
      return recordTransition(working, nodeId, handoff, 'child.failed', { childRunId, error });
    }
    case 'cancelled':
      return recordTransition(working, nodeId, handoff, 'child.cancelled', {
        childRunId,
        error: runError('child_cancelled'),
      });
  }
}

function keepsHold(working: WorkingRun, nodeId: string): boolean {
  const config: JsonObject | undefined = working.plan.nodes.get(nodeId)?.config;
  return config?.propagateCancellation !== false;
}
