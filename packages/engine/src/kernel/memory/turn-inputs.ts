import type { MemoryLayer, TurnInputs } from '@baton/protocol';
import { viewOfMemory } from '../fold/evolve-fork.ts';
import { goalsNotMet } from '../goal.ts';
import { nextRecorded } from '../replay/source.ts';
import type { WorkingRun } from '../working-run.ts';
import { isUnstored } from './recall.ts';

/** The scope that holds the files of a tenant's workspace. */
export const WORKSPACE_SCOPE = 'workspace:default';

/**
 * The inputs of a supervisor's turn, as references to versions at the beginning of the turn. Changes that the
 * turn itself causes have later versions, so only later turns see them.
 */
export function turnInputs(working: WorkingRun): TurnInputs | undefined | 'unknown' {
  const recorded = nextRecorded(working);
  if (recorded === 'unknown') return 'unknown';
  // A turn of a replay has the recorded inputs of its source.
  if (recorded?.event.type === 'node.started') return recorded.event.payload.turn;
  const { run, tree } = working;
  const workspace = workspaceNow(working);
  if (workspace === 'unknown') return 'unknown';
  const [memory] = viewOfMemory(run.memory);
  const missed = goalsNotMet(run);
  return {
    ...(memory && { memory }),
    ...(workspace && { workspace }),
    transcript: { from: Math.max(0, run.head - tree.world.transcriptWindow), to: run.head },
    ...(missed.length > 0 && { goalsNotMet: [...missed] }),
  };
}

/**
 * The stored version of the workspace. If this tree has changed the workspace, the slice must be committed
 * first.
 */
export function workspaceNow({ run, tree }: WorkingRun): MemoryLayer | undefined | 'unknown' {
  if (isUnstored(tree, WORKSPACE_SCOPE, Number.POSITIVE_INFINITY)) {
    tree.awaitsCommit = true;
    return 'unknown';
  }
  const found = tree.world.workspace(run.tenant);
  if (found === 'unknown') tree.wanted.push({ kind: 'scope', tenant: run.tenant, scope: WORKSPACE_SCOPE });
  return found;
}
