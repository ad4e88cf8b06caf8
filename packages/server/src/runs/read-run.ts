import { CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';
import { noSuchRun, runOf } from './run-of.ts';
import { readSnapshot, snapshotEtag } from './snapshot.ts';

export const readRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readRun, async (request, reply) => {
    const identity = identityOf(request);
    const row = runOf(host, { tenant: identity.tenant, runId: request.params.runId });
    reply.header('cache-control', 'private, no-cache');
    if (notModified(request, reply, snapshotEtag(host, row, identity))) return reply.code(304).send();
    const snapshot = readSnapshot(host, row.runId, identity);
    if (snapshot === undefined) throw noSuchRun(row.runId);
    return snapshot;
  });
};
