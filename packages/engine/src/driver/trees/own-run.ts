import { BatonError } from '@baton/protocol';
import type { Caller, Command } from '../../commands.ts';
import type { RunRow, Store } from '../../ports/store.ts';
import type { LoadedTree } from './loaded-tree.ts';

/**
 * The run that a caller names. The error for another tenant's run is exactly that for a run that does not
 * exist.
 */
export async function ownRun(
  store: Store,
  { runId, caller }: { readonly runId: string; readonly caller: Caller },
): Promise<RunRow> {
  const row = await store.run(runId);
  if (row === undefined || row.tenant !== caller.tenant) throw noSuchRun(runId);
  return row;
}

/**
 * The run that a command names. Commands of the host itself, such as the outcome of an effect, have no
 * caller.
 */
export async function runOf(store: Store, given: Command & { readonly runId: string }): Promise<RunRow> {
  if ('caller' in given) return ownRun(store, given);
  const row = await store.run(given.runId);
  if (row === undefined) throw noSuchRun(given.runId);
  return row;
}

/** Whether a command comes from another tenant than that of the tree. */
export function isForeign({ tree }: LoadedTree, command: Command): boolean {
  const [first] = tree.runs.values();
  return 'caller' in command && first !== undefined && first.run.tenant !== command.caller.tenant;
}

export function noSuchRun(runId: string): BatonError {
  return new BatonError('not_found', 'There is no run with this id.', { runId });
}
