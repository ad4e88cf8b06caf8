import { expiryDelay } from '../../ports/memory.ts';
import { ownLayers } from '../fold/evolve-fork.ts';
import type { PlanNode } from '../graph/plan.ts';
import { endStatus, type Run } from '../run.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { changeBase, recordChange } from './changes.ts';
import { type CaughtUp, catchUp } from './shared-scope.ts';

/**
 * Copies the memory of a child to its parent, all at once: when the child has completed, or when the merge
 * gate merges its outputs. Until then, no other run sees the memory of the child.
 */

/**
 * Whether the children of a node start without memory and their memory is not copied to the parent. The
 * config takes precedence over the settings.
 */
export function isIsolated(node: Pick<PlanNode, 'config' | 'node'>): boolean {
  const given = node.config.memoryScopeIsolation ?? node.node.settings?.memoryScopeIsolation;
  return given === 'isolated';
}

/** Must be called before the end of the child is recorded. */
export function readyToCarry(working: WorkingRun, child: Run, isolated: boolean): CaughtUp {
  return brings(child, isolated) ? catchUp(working) : 'current';
}

export function carryHome(
  working: WorkingRun,
  nodeId: string,
  child: Run,
  isolated: boolean,
  cause?: string,
): void {
  const [top, ...below] = ownLayers(child.memory);
  if (!brings(child, isolated) || top === undefined) return;
  const change = changeBase(working, { runId: working.run.runId, nodeId });
  const version = change.expectedVersion + 1 + below.length;
  const payload = {
    memoryRef: change.scope,
    from: top.scope,
    upTo: top.version,
    ...(below.length > 0 && { below }),
    childRunId: child.runId,
    version,
  };
  emit(working, 'baton.memory.carried', payload, nodeId, cause);
  // The lowest layer first, so that the newest entry of the child is copied last and replaces older ones.
  [...below.toReversed(), top].forEach((layer, at) => {
    const { scope: from, version: upTo } = layer;
    const delay = expiryDelay(layer);
    const expectedVersion = change.expectedVersion + at;
    const more = delay === 0 ? {} : { expiryDelay: delay };
    recordChange(working, { ...change, expectedVersion, kind: 'carry', from, upTo, ...more });
  });
}

function brings(child: Run, isolated: boolean): boolean {
  return !isolated && ownLayers(child.memory).length > 0 && endStatus(child) === 'completed';
}
