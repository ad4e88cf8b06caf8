import type { PlanNode } from '../graph/plan.ts';
import { endStatus, type Run } from '../run.ts';
import { emit, type Turn } from '../turn.ts';
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
export function readyToCarry(turn: Turn, child: Run, isolated: boolean): CaughtUp {
  return brings(child, isolated) ? catchUp(turn) : 'current';
}

export function carryHome(turn: Turn, nodeId: string, child: Run, isolated: boolean, cause?: string): void {
  if (!brings(child, isolated)) return;
  const { scope: from, version: upTo } = child.memory;
  const change = changeBase(turn, { runId: turn.run.runId, nodeId });
  const version = change.expectedVersion + 1;
  const payload = { memoryRef: change.scope, from, upTo, childRunId: child.runId, version };
  emit(turn, 'baton.memory.carried', payload, nodeId, cause);
  recordChange(turn, { ...change, kind: 'carry', from, upTo });
}

function brings(child: Run, isolated: boolean): boolean {
  return !isolated && child.memory.version > 0 && endStatus(child) === 'completed';
}
