import { recordedHere } from '../replay/source.ts';
import { emit, type Tree, type Want, type WorkingRun } from '../working-run.ts';

/**
 * Several runs can write to the memory scope of one `scopeId`. Before such a run reads or writes memory, or
 * starts a child with it, the run records the newest version of the scope. From then on it sees this version.
 */

/** `moved` when an event was recorded, `unknown` when the step has to be taken again after a look-up. */
export type CaughtUp = 'current' | 'moved' | 'unknown';

export function catchUp(working: WorkingRun): CaughtUp {
  const { scope, version } = working.run.memory;
  if (!isShared(scope)) return 'current';
  if (working.run.fork?.mode === 'replay') return seeAsRecorded(working);
  const { tenant } = working.run;
  const stored = working.tree.world.scopeVersion(tenant, scope);
  if (stored === 'unknown') {
    working.tree.wanted.push({ kind: 'scope', tenant, scope });
    return 'unknown';
  }
  if (stored <= version) return 'current';
  emit(working, 'baton.memory.seen', { memoryRef: scope, version: stored });
  return 'moved';
}

/** A replay sees the same version as its source, from the same event on. */
function seeAsRecorded(working: WorkingRun): CaughtUp {
  const recorded = recordedHere(working);
  if (recorded === 'unknown') return 'unknown';
  if (recorded?.event.type !== 'baton.memory.seen') return 'current';
  emit(working, 'baton.memory.seen', recorded.event.payload);
  return 'moved';
}

/** The look-ups that must be made before a command, because a command is applied at once. */
export function wantedByCommands(tree: Tree): readonly Want[] {
  const root = tree.runs.get(tree.rootId)?.run;
  if (root === undefined || !isShared(root.memory.scope)) return [];
  return [{ kind: 'scope', tenant: root.tenant, scope: root.memory.scope }];
}

function isShared(scope: string): boolean {
  return scope.startsWith('scope:');
}
