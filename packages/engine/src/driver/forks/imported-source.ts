import { BatonError } from '@baton/protocol';
import { holdsScope } from '../../kernel/people/scopes.ts';
import type { RunRow, Store } from '../../ports/store.ts';
import type { LoadedTree } from '../trees/loaded-tree.ts';
import type { Overridden } from './fork-approvals.ts';
import type { ForkRequest } from './fork-request.ts';

/**
 * Refuses forks of an imported run that would evade the rules of this host. A branch may run a definition
 * only if the tenant has registered it or the caller may register it. A branch takes over no approval,
 * verdict or attestation, because they were given on another host. A replay with recorded models performs
 * nothing and is always allowed.
 */
export async function refuseImported(
  store: Store,
  { tree }: LoadedTree,
  request: ForkRequest,
): Promise<void> {
  const { mode, models, by } = request;
  if (mode === 'replay' && models === 'recorded') return;
  for (const { point, run } of tree.runs.values()) {
    if (point === undefined) continue;
    const { sourceRunId, fromSeq } = point.fork;
    const history = await importedPast(store, sourceRunId);
    if (history === undefined) continue;
    const mayRegister = mode === 'branch' && holdsScope(by?.scopes, 'workflows:write');
    if (!mayRegister && !(await store.isRegistered(run.tenant, run.workflowId, run.definition))) {
      throw new BatonError(
        'forbidden',
        `Run ${sourceRunId} was imported, and its definition is not registered here. Register the workflow first, ` +
          'or use a key with the scope "workflows:write".',
        { scope: 'workflows:write', runId: sourceRunId },
      );
    }
    if (mode === 'replay' || fromSeq <= history.grantedAt || holdsScope(by?.scopes, 'approvals:override')) {
      continue;
    }
    throw new BatonError(
      'forbidden',
      `Run ${sourceRunId} was imported, and approvals of another host are not valid here. Branch at index ` +
        `${history.grantedAt} or before, or use a key with the scope "approvals:override".`,
      { scope: 'approvals:override', runId: sourceRunId, grantedAt: history.grantedAt },
    );
  }
}

/**
 * The approval of another host that a branch overrides, to be recorded with the branch. Only a key that may
 * override approvals gets this far: `refuseImported` refuses all other keys.
 */
export async function overriddenImport(
  store: Store,
  sourceRunId: string,
  fromSeq: number,
  { mode, by }: ForkRequest,
): Promise<Overridden> {
  if (mode !== 'branch' || by === undefined) return undefined;
  const history = await importedPast(store, sourceRunId);
  if (history === undefined || fromSeq <= history.grantedAt) return undefined;
  return { by: by.principal, runId: sourceRunId, earliestApproval: history.grantedAt };
}

/**
 * The first index of a run's log that depends on an approval of another host. `undefined` for a run whose
 * whole history was made on this host.
 */
async function importedPast(
  store: Store,
  runId: string,
): Promise<{ readonly grantedAt: number } | undefined> {
  let end = Number.POSITIVE_INFINITY;
  let grantedAt = Number.POSITIVE_INFINITY;
  let isImported = false;
  for (let row: RunRow | undefined = await store.run(runId); row !== undefined; ) {
    const { imported, fork }: RunRow = row;
    isImported ||= imported !== undefined;
    const granted = imported?.grantedAt ?? Number.POSITIVE_INFINITY;
    // Events of the source after the cut are not part of the branch.
    if (granted < end) grantedAt = Math.min(grantedAt, granted);
    if (fork === undefined) break;
    // A replay on this host repeats all events of its source, with its approvals, at the same indexes.
    if (fork.mode === 'branch' || imported !== undefined) end = Math.min(end, fork.fromSeq);
    row = await store.run(fork.sourceRunId);
  }
  return isImported ? { grantedAt } : undefined;
}
