import { importedView } from '@baton/engine';
import type { RunRow } from '@baton/engine/ports';
import { isoTime, RUN_STATUSES, type RunStatus, RunSummary } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';

const ListQuery = Type.Object({
  status: Type.Optional(Type.Unsafe<RunStatus>({ enum: [...RUN_STATUSES] })),
  workflowId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  parentRunId: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
});

const RunList = Type.Object({ runs: Type.Array(RunSummary), nextCursor: Type.Optional(Type.String()) });

type ListRequest = FastifyRequest<{ Querystring: Type.Static<typeof ListQuery> }>;

export const listRunsRoute: Routes = (app, host) => {
  app.get(
    '/v1/runs',
    {
      schema: {
        tags: ['runs'],
        summary: 'Runs, newest first',
        querystring: ListQuery,
        response: { 200: RunList },
      },
      config: { access: 'runs:read' },
    },
    async (request: ListRequest) => {
      const { status, workflowId, tag, parentRunId, limit = 50, cursor } = request.query;
      const { tenant } = identityOf(request);
      const page = host.reads.runs({ tenant, status, workflowId, tag, parentRunId, limit, cursor });
      return { runs: page.items.map(summaryOf), nextCursor: page.next };
    },
  );
};

export function summaryOf(row: RunRow): RunSummary {
  return {
    runId: row.runId,
    workflowId: row.workflowId,
    status: row.status,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    parentRunId: row.parentRunId,
    role: row.role,
    goalMet: row.goalMet,
    tags: row.tags.length === 0 ? undefined : [...row.tags],
    imported: row.imported && importedView(row.imported),
  };
}
