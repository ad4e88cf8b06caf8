import { hideText } from '@baton/engine';
import type { InterruptRow } from '@baton/engine/ports';
import { CONTRACTS, isoTime, type WaitingInterrupt } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import type { Identity } from '../auth/keyring.ts';
import { bind } from '../http/bind.ts';
import type { HostContext, Routes } from '../http/context.ts';
import { runOf } from '../runs/run-of.ts';
import { interruptLink } from './link.ts';

/** Lists the open interrupts of all runs of a tenant, or of one run and its descendants. */

export const listInterruptsRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.listInterrupts, async (request) => {
    const { limit = 50, cursor, runId } = request.query;
    const identity = identityOf(request);
    const { tenant } = identity;
    if (runId !== undefined) await runOf(host, { tenant, runId });
    const page = await host.reads.interrupts(tenant, limit, cursor, runId);
    return { interrupts: page.items.map((row) => entryOf(host, identity, row)), nextCursor: page.next };
  });
};

function entryOf(host: HostContext, identity: Identity, row: InterruptRow): WaitingInterrupt {
  return {
    runId: row.runId,
    rootRunId: row.rootId,
    workflowId: row.workflowId,
    nodeId: row.nodeId,
    interruptId: row.interruptId,
    kind: row.kind,
    title: hideText(row.title),
    requestedAt: isoTime(row.requestedAt),
    expiresAt: row.expiresAt === undefined ? undefined : isoTime(row.expiresAt),
    ...interruptLink(host, identity, row),
  };
}
