import type { MemoryQuery, MemoryRow, MemoryView } from '../../ports/memory.ts';
import { viewOfMemory } from '../fold/evolve-fork.ts';
import { inWordsOfMemory } from '../replay/source.ts';
import type { Tree, WorkingRun } from '../working-run.ts';

/** Reading memory. Only what is stored can be read, so a read may have to wait for the slice to end. */

export type Filter = Omit<MemoryQuery, 'tenant' | 'view' | 'now'>;

/** What the run remembers, newest first; `unknown` when the step has to be taken again. */
export function recall(working: WorkingRun, filter: Filter): readonly MemoryRow[] | 'unknown' {
  return recallFrom(working, viewOfMemory(working.run.memory), filter);
}

export function recallFrom(
  working: WorkingRun,
  view: MemoryView,
  filter: Filter,
): readonly MemoryRow[] | 'unknown' {
  const { run, tree } = working;
  if (view.length === 0) return [];
  if (view.some(({ scope, version }) => isUnstored(tree, scope, version))) {
    tree.awaitsCommit = true;
    return 'unknown';
  }
  // An entry is kept under what is left of its name when there was a secret in it.
  const asWritten = inWordsOfMemory(working, filter);
  const named = tree.world.redactor(run.tenant)?.redactJson({ ...asWritten }) ?? asWritten;
  const query = { tenant: run.tenant, view, now: tree.world.now, ...named };
  const found = tree.world.memory(query);
  if (found === 'unknown') tree.wanted.push({ kind: 'memory', query });
  return found;
}

/** Whether a version of a scope was made by this tree and is not stored yet. */
export function isUnstored({ changes }: Tree, scope: string, version: number): boolean {
  const from = changes.find((change) => change.scope === scope)?.expectedVersion;
  return from !== undefined && from < version;
}
