import { BatonError } from '@baton/protocol';
import { holdsScope } from '../../kernel/people/scopes.ts';
import type { RunRow, Store } from '../../ports/store.ts';
import type { LoadedTree } from '../trees/loaded-tree.ts';
import type { Overridden } from './fork-approvals.ts';
import type { ForkRequest } from './fork-request.ts';

/**
 * What was taken in from elsewhere is history. A fork that goes on from it does so by the rules of this host: it runs
 * a definition only if the tenant has registered it or the caller may, and it takes over no approval, verdict or
 * attestation, as nobody here gave them. A replay performs nothing and may follow anything.
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
        `Run ${sourceRunId} was imported, and its definition is not registered here; register the workflow first, ` +
          'or use a key with the scope "workflows:write".',
        { scope: 'workflows:write', runId: sourceRunId },
      );
    }
    if (mode === 'replay' || fromSeq <= history.grantedAt || holdsScope(by?.scopes, 'approvals:override')) {
      continue;
    }
    throw new BatonError(
      'forbidden',
      `Run ${sourceRunId} was imported, and what was approved in it counts for nothing here; branch off at ` +
        `${history.grantedAt} or before, or use a key with the scope "approvals:override".`,
      { scope: 'approvals:override', runId: sourceRunId, grantedAt: history.grantedAt },
    );
  }
}

/**
 * The approval from elsewhere that a branch goes on behind, to be recorded with the branch. Only a key that may
 * override approvals gets this far: `refuseImported` refuses all others.
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

/** Up to where nothing in a run's log rests on an approval from elsewhere; nothing for a run that is all of this host. */
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
    // What was done after a branch was cut off is no part of it.
    if (granted < end) grantedAt = Math.min(grantedAt, granted);
    if (fork === undefined) break;
    // A replay of this host repeats what its source did, index by index, and its approvals with it.
    if (fork.mode === 'branch' || imported !== undefined) end = Math.min(end, fork.fromSeq);
    row = await store.run(fork.sourceRunId);
  }
  return isImported ? { grantedAt } : undefined;
}
