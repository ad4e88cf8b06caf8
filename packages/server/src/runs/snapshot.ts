import { foldToRead, snapshotOf, snapshotWithoutLog } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { isTerminal, isWaiting, type RunSnapshot } from '@baton/protocol';
import type { Identity } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';
import { interruptLink } from '../interrupts/link.ts';

type SnapshotHost = Pick<HostContext, 'reads' | 'tokens' | 'settings'>;

/** A run with more children lists only the latest ones. The others are found with `GET /v1/runs`. */
const CHILDREN_SHOWN = 200;

/** The whole state of a run as one caller may see it, or `undefined` when the tenant has no such run. */
export function readSnapshot(host: SnapshotHost, runId: string, identity: Identity): RunSnapshot | undefined {
  const row = host.reads.run(identity.tenant, runId);
  if (row === undefined) return undefined;
  const stored = host.reads.stored(identity.tenant, runId);
  if (stored === undefined || row.erasedAt !== undefined)
    return snapshotWithoutLog(row, childrenOf(host, row));
  const hold = isTerminal(row.status) ? undefined : host.reads.hold(row.tenant, row.rootId);
  const snapshot: RunSnapshot = {
    ...snapshotOf(foldToRead(stored), stored.row, childrenOf(host, stored.row)),
    ...(hold && { held: { since: new Date(hold.at).toISOString(), reason: hold.reason } }),
  };
  const interruptId = snapshot.interrupt?.interruptId;
  if (typeof interruptId !== 'string') return snapshot;
  const link = interruptLink(host, identity, {
    runId,
    interruptId,
    expiresAt: snapshot.interrupt?.expiresAt,
  });
  return { ...snapshot, interrupt: { ...snapshot.interrupt, ...link } };
}

/** Changes whenever the snapshot changes. It is cheap, because no log is read. */
export function snapshotEtag(host: SnapshotHost, row: RunRow, identity: Identity): string {
  const children = childrenOf(host, row)
    .map((child) => child.status)
    .join();
  const links = isWaiting(row.status) && identity.scopes.has('approvals:respond') ? host.tokens.window() : '';
  const gone = row.erasedAt ?? row.purgedAt ?? '';
  const held = isTerminal(row.status) ? '' : (host.reads.hold(row.tenant, row.rootId)?.at ?? '');
  return `"${row.head}-${row.status}-${children}-${links}-${gone}-${held}"`;
}

function childrenOf(host: Pick<HostContext, 'reads'>, row: RunRow): readonly RunRow[] {
  const { items } = host.reads.runs({ tenant: row.tenant, parentRunId: row.runId, limit: CHILDREN_SHOWN });
  return items.toReversed();
}
