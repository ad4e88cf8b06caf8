import { emit, type Tree, type Turn, type Want } from '../turn.ts';

/**
 * A scope that callers named can be written by several runs. Before such a run reads, writes or hands its
 * memory on, it looks how far the scope has come, and records what it sees from there on.
 */

/** `moved` when something was recorded, `unknown` when the step has to be taken again. */
export type CaughtUp = 'current' | 'moved' | 'unknown';

export function catchUp(turn: Turn): CaughtUp {
  const { scope, version } = turn.run.memory;
  if (!isShared(scope)) return 'current';
  const { tenant } = turn.run;
  const stored = turn.tree.world.scopeVersion(tenant, scope);
  if (stored === 'unknown') {
    turn.tree.wanted.push({ kind: 'scope', tenant, scope });
    return 'unknown';
  }
  if (stored <= version) return 'current';
  emit(turn, 'baton.memory.seen', { memoryRef: scope, version: stored });
  return 'moved';
}

/** A command is applied at once, so what it may have to know is looked up before. */
export function wantedByCommands(tree: Tree): readonly Want[] {
  const root = tree.turns.get(tree.rootId)?.run;
  if (root === undefined || !isShared(root.memory.scope)) return [];
  return [{ kind: 'scope', tenant: root.tenant, scope: root.memory.scope }];
}

function isShared(scope: string): boolean {
  return scope.startsWith('scope:');
}
