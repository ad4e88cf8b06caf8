import { RunSnapshot } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { notModified } from '../http/etag.ts';
import { noSuchRun, runOf } from './run-of.ts';
import { RUN, RunParams } from './run-params.ts';
import { readSnapshot, snapshotEtag } from './snapshot.ts';

type ReadRequest = FastifyRequest<{ Params: RunParams }>;

export const readRunRoute: Routes = (app, host) => {
  app.get(
    RUN,
    {
      schema: {
        tags: ['runs'],
        summary: 'The state of a run',
        params: RunParams,
        response: { 200: RunSnapshot },
      },
      config: { access: 'runs:read' },
    },
    async (request: ReadRequest, reply) => {
      const identity = identityOf(request);
      const row = runOf(host, { tenant: identity.tenant, runId: request.params.runId });
      reply.header('cache-control', 'private, no-cache');
      if (notModified(request, reply, snapshotEtag(host, row, identity))) return reply.code(304).send();
      const snapshot = readSnapshot(host, row.runId, identity);
      if (snapshot === undefined) throw noSuchRun(row.runId);
      return snapshot;
    },
  );
};
