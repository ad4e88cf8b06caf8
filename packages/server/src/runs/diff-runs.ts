import { diffRuns } from '@baton/engine';
import { Imported } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { keptRunOf, noSuchRun } from './run-of.ts';
import { RUN, RUN_BEFORE_COLON, RunParams } from './run-params.ts';

/** Where two runs begin to differ, and how their results differ. */

const Query = Type.Object({ against: Type.String({ minLength: 1, maxLength: 128 }) });
const Bag = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

const Diff = Type.Object({
  a: Type.String(),
  b: Type.String(),
  divergedAtSeq: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
  eventDiffs: Type.Array(
    Type.Object({
      seq: Type.Integer(),
      op: Type.Unsafe<string>({ enum: ['added', 'removed', 'changed'] }),
      aEvent: Type.Optional(Bag),
      bEvent: Type.Optional(Bag),
    }),
  ),
  stateDiff: Bag,
  imported: Type.Optional(Type.Object({ a: Type.Optional(Imported), b: Type.Optional(Imported) })),
  truncated: Type.Boolean(),
});

type DiffRequest = FastifyRequest<{ Params: RunParams; Querystring: Type.Static<typeof Query> }>;

export const diffRunsRoute: Routes = (app, host) => {
  for (const path of [`${RUN}/diff`, `${RUN_BEFORE_COLON}diff`]) {
    app.get(
      path,
      {
        schema: {
          tags: ['runs'],
          summary: 'Compare two runs, event by event',
          params: RunParams,
          querystring: Query,
          response: { 200: Diff },
        },
        config: { access: 'runs:read', heavy: 'read' },
      },
      async (request: DiffRequest) => {
        const { tenant } = identityOf(request);
        const a = keptRunOf(host, { tenant, runId: request.params.runId });
        const b = keptRunOf(host, { tenant, runId: request.query.against });
        const diff = await diffRuns(host.stored, tenant, a.runId, b.runId);
        if (diff === undefined) throw noSuchRun(a.runId);
        return diff;
      },
    );
  }
};
