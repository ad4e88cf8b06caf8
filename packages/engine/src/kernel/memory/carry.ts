import { expiryDelay } from '../../ports/memory.ts';
import { ownLayers } from '../fold/evolve-fork.ts';
import type { PlanNode } from '../graph/plan.ts';
import { endStatus, type Run } from '../run.ts';
import { emit, type WorkingRun } from '../working-run.ts';
import { changeBase, recordChange } from './changes.ts';
import { type CaughtUp, catchUp } from './shared-scope.ts';

/**
 * What a child remembered comes home in one piece, at the moment its results do: when it has completed, or
 * when the gate merges it. Until then, and for a child that never gets there, it is nobody else's.
 */

/** Children of an isolated node start with nothing and bring nothing home. A config wins over the settings. */
export function isIsolated(node: Pick<PlanNode, 'config' | 'node'>): boolean {
  const given = node.config.memoryScopeIsolation ?? node.node.settings?.memoryScopeIsolation;
  return given === 'isolated';
}

/** To be asked before anything of the child's end is recorded. */
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
  // From the bottom up, so that what the child wrote last is what counts.
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
