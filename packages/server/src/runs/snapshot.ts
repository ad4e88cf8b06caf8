import { foldToRead, snapshotOf, snapshotWithoutLog } from '@baton/engine';
import type { RunOverview, RunReads, RunView } from '@baton/engine/ports';
import { isWaiting, type RunSnapshot } from '@baton/protocol';
import type { Identity } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';
import { inTurn } from '../http/fair-schedule.ts';
import { interruptLink } from '../interrupts/token.ts';

type SnapshotHost = Pick<HostContext, 'tokens' | 'settings' | 'turns'>;

/** A run with more children lists only the latest ones. The others are found with `GET /v1/runs`. */
export const CHILDREN_SHOWN = 200;

/** The whole state of a run as one caller may see it, or `undefined` when the tenant has no such run. */
export async function readSnapshot(
  host: SnapshotHost & { readonly reads: Pick<RunReads, 'runView'> },
  runId: string,
  identity: Identity,
): Promise<RunSnapshot | undefined> {
  const view = await host.reads.runView(identity.tenant, runId, CHILDREN_SHOWN);
  return view && snapshotFrom(host, view, identity);
}

export async function snapshotFrom(
  host: SnapshotHost,
  view: RunView,
  identity: Identity,
): Promise<RunSnapshot> {
  const { row, stored, hold } = view;
  const children = view.children.toReversed();
  if (stored === undefined || row.erasedAt !== undefined) return snapshotWithoutLog(row, children);
  const run = await inTurn(host.turns, row.tenant, () => foldToRead(stored));
  const snapshot: RunSnapshot = {
    ...snapshotOf(run, row, children),
    ...(hold && { held: { since: new Date(hold.at).toISOString(), reason: hold.reason } }),
  };
  const interruptId = snapshot.interrupt?.interruptId;
  if (typeof interruptId !== 'string') return snapshot;
  const link = interruptLink(host, identity, {
    runId: row.runId,
    interruptId,
    expiresAt: snapshot.interrupt?.expiresAt,
  });
  return { ...snapshot, interrupt: { ...snapshot.interrupt, ...link } };
}

/** Changes whenever the snapshot changes. It is cheap, because no log is read. */
export function snapshotEtag(
  host: Pick<HostContext, 'tokens'>,
  { row, children, hold }: RunOverview,
  identity: Identity,
): string {
  const statuses = children
    .toReversed()
    .map((child) => child.status)
    .join();
  const links = isWaiting(row.status) && identity.scopes.has('approvals:respond') ? host.tokens.window() : '';
  const gone = row.erasedAt ?? row.purgedAt ?? '';
  return `"${row.head}-${row.status}-${statuses}-${links}-${gone}-${hold?.at ?? ''}"`;
}
