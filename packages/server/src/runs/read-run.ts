import { CONTRACTS } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';
import { noSuchRun } from './run-of.ts';
import { CHILDREN_SHOWN, snapshotEtag, snapshotFrom } from './snapshot.ts';

export const readRunRoute: Routes = (app, host) => {
  bind(app, CONTRACTS.readRun, async (request, reply) => {
    const identity = identityOf(request);
    const { runId } = request.params;
    reply.header('cache-control', 'private, no-cache');
    if (request.headers['if-none-match'] !== undefined) {
      const overview = await host.reads.runOverview(identity.tenant, runId, CHILDREN_SHOWN);
      if (overview === undefined) throw noSuchRun(runId);
      const etag = snapshotEtag(host, overview, identity);
      if (notModified(request, reply, etag)) return reply.code(304).send();
    }
    // Read again and with the log: the run may have changed since, and the tag has to fit the answer.
    const view = await host.reads.runView(identity.tenant, runId, CHILDREN_SHOWN);
    if (view === undefined) throw noSuchRun(runId);
    reply.header('etag', snapshotEtag(host, view, identity));
    return snapshotFrom(host, view, identity);
  });
};
