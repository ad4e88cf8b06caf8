import type { MemoryQuery, MemoryRow, MemoryView } from '../../ports/memory.ts';
import { viewOfMemory } from '../fold/evolve-fork.ts';
import { inWordsOfMemory } from '../replay/source.ts';
import type { Tree, WorkingRun } from '../working-run.ts';

/** Reads memory. Only stored entries can be read, so a read may have to wait until the slice is committed. */

type Filter = Omit<MemoryQuery, 'tenant' | 'view' | 'now'>;

/** The entries that the run sees, newest first. `unknown` when the step has to be taken again. */
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
  // Secrets are also redacted in the ids of entries, so the query is redacted in the same way.
  const asWritten = inWordsOfMemory(working, filter);
  const named = tree.world.redactor(run.tenant)?.redactJson({ ...asWritten }) ?? asWritten;
  const query = { tenant: run.tenant, view, now: tree.world.now, ...named };
  const found = tree.world.memory(query);
  if (found === 'unknown') tree.wanted.push({ kind: 'memory', query });
  return found;
}

/** Whether this tree made the version of the scope and the version is not stored yet. */
export function isUnstored({ changes }: Tree, scope: string, version: number): boolean {
  const from = changes.find((change) => change.scope === scope)?.expectedVersion;
  return from !== undefined && from < version;
}
