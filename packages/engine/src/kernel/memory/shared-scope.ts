import { recordedHere } from '../replay/source.ts';
import { emit, type Tree, type Want, type WorkingRun } from '../working-run.ts';

/**
 * A scope that callers named can be written by several runs. Before such a run reads, writes or hands its
 * memory on, it looks how far the scope has come, and records what it sees from there on.
 */

/** `moved` when something was recorded, `unknown` when the step has to be taken again. */
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

/** A replay sees what its source saw, where the source saw it. */
function seeAsRecorded(working: WorkingRun): CaughtUp {
  const recorded = recordedHere(working);
  if (recorded === 'unknown') return 'unknown';
  if (recorded?.event.type !== 'baton.memory.seen') return 'current';
  emit(working, 'baton.memory.seen', recorded.event.payload);
  return 'moved';
}

/** A command is applied at once, so what it may have to know is looked up before. */
export function wantedByCommands(tree: Tree): readonly Want[] {
  const root = tree.runs.get(tree.rootId)?.run;
  if (root === undefined || !isShared(root.memory.scope)) return [];
  return [{ kind: 'scope', tenant: root.tenant, scope: root.memory.scope }];
}

function isShared(scope: string): boolean {
  return scope.startsWith('scope:');
}
