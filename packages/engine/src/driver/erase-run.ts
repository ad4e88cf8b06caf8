import { BatonError, FIRST_LINK, isTerminal } from '@baton/protocol';
import { eraseLog, signErasure } from '../audit/erasure.ts';
import type { SigningKey } from '../audit/signing-key.ts';
import type { EraseRunCommand } from '../commands.ts';
import type { RunRow, Store } from '../ports/store.ts';
import { done } from './replies.ts';
import type { Outcome } from './rounds/job.ts';
import { linkBefore } from './trees/chain-link.ts';
import { ownRun } from './trees/own-run.ts';

/**
 * Removes the contents of all runs of an ended tree from the store. Runs are erased one by one, the root
 * last. After a crash in between, no run of the tree can be forked, and the command has to be repeated: runs
 * that are already erased are left out.
 */
export async function eraseRun(
  { store, key, now }: { readonly store: Store; readonly key: SigningKey | undefined; readonly now: number },
  given: EraseRunCommand,
): Promise<Outcome> {
  const root = await eraseableRoot(store, given);
  if (key === undefined)
    throw new BatonError('run_state_conflict', 'This host has no key to sign an erasure with.');
  const tree = await store.treeOf(root.runId);
  const unended = tree.find(({ status }) => !isTerminal(status));
  if (unended !== undefined) throw notEnded(unended);
  await refuseForked(store, root);
  for (const row of [...tree].reverse()) {
    if (row.erasedAt !== undefined || (await eraseOne(store, key, row, given, now))) continue;
    await refuseForked(store, root);
    // The fork was erased or purged since.
    return eraseRun({ store, key, now }, given);
  }
  await store.eraseShared(root.tenant, root.runId);
  await store.wipeTraces();
  return { reply: done({ kind: 'erased', runId: root.runId, runs: tree.length }) };
}

async function refuseForked(store: Store, { runId }: RunRow): Promise<void> {
  const forks = await store.forksOf(runId);
  if (forks.length === 0) return;
  throw new BatonError('run_has_forks', 'Other runs share the log of this one; erase them first.', {
    forks: forks.slice(0, MOST_NAMED),
  });
}

const MOST_NAMED = 100;
const EVENTS_AT_ONCE = 512;

async function eraseableRoot(store: Store, given: EraseRunCommand): Promise<RunRow> {
  const { runId } = given;
  const row = await ownRun(store, given);
  if (row.rootId !== runId) {
    throw new BatonError(
      'validation_error',
      `A run is erased with its whole tree; its root is ${row.rootId}.`,
      {
        field: 'runId',
        rootId: row.rootId,
      },
    );
  }
  if (row.purgedAt !== undefined) throw new BatonError('run_purged', undefined, { runId });
  if (!isTerminal(row.status)) throw notEnded(row);
  return row;
}

function notEnded({ runId, status }: RunRow): BatonError {
  return new BatonError('run_state_conflict', `Run ${runId} has not ended yet, so it cannot be erased.`, {
    runId,
    runStatus: status,
  });
}

async function eraseOne(
  store: Store,
  key: SigningKey,
  { runId, head, fork }: RunRow,
  { caller, reason }: EraseRunCommand,
  now: number,
): Promise<boolean> {
  const from = fork?.fromSeq ?? 0;
  const link =
    fork === undefined || from === 0 ? FIRST_LINK : await linkBefore(store, fork.sourceRunId, from);
  const texts: string[] = [];
  while (from + texts.length < head) {
    const page = await store.placedEvents(runId, from + texts.length, EVENTS_AT_ONCE);
    if (page.length === 0) break;
    for (const { text } of page) texts.push(text);
  }
  const log = eraseLog(link, texts);
  const { links, remains } = log;
  const record = { runId, at: now, by: caller.principal, reason, from, links, remains };
  return store.eraseRun(signErasure(record, key), log.texts);
}
