import { type AuditPlace, auditOneRun, auditPage, FINDING_KINDS, importedView } from '@baton/engine';
import { Imported, invalid } from '@baton/protocol';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { identityOf } from '../auth/bearer.ts';
import type { Routes } from '../http/context.ts';
import { noSuchRun } from '../runs/run-of.ts';

/** Recomputes hash chains from the stored events and compares them with the signed checkpoints. */

const VerifyQuery = Type.Object({
  runId: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: 'Only this run' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Checkpoints or runs in one answer' }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});

const Count = Type.Integer({ minimum: 0 });

const Finding = Type.Object({
  what: Type.Unsafe<string>({ enum: [...FINDING_KINDS] }),
  runId: Type.Optional(Type.String()),
  from: Type.Optional(
    Type.Integer({ description: 'Sequence of the first event that the finding may concern' }),
  ),
  to: Type.Optional(Type.Integer({ description: 'Sequence of the last event that the finding may concern' })),
  checkpoint: Type.Optional(Type.Integer()),
  message: Type.String(),
});

const Verification = Type.Object({
  ok: Type.Boolean({ description: 'This answer has no findings; later pages may have some' }),
  findings: Type.Array(Finding),
  checked: Type.Object({
    checkpoints: Count,
    runs: Count,
    events: Count,
    unchained: Count,
    unsigned: Count,
    purged: Count,
    imported: Count,
    unvouched: Count,
  }),
  keyId: Type.String(),
  imported: Type.Optional(Imported),
  nextCursor: Type.Optional(Type.String()),
});

type VerifyRequest = FastifyRequest<{ Querystring: Type.Static<typeof VerifyQuery> }>;

export const verifyRoute: Routes = (app, host) => {
  app.get(
    '/v1/audit/verify',
    {
      schema: {
        tags: ['audit'],
        summary: 'Check that the stored logs were not changed after they were written',
        description:
          'Checks the signed checkpoints of the host, then the runs of the caller’s tenant in the order they ' +
          'were made. Follow `nextCursor` until an answer has none.',
        querystring: VerifyQuery,
        response: { 200: Verification },
      },
      config: { access: 'audit:read', heavy: 'read' },
    },
    async (request: VerifyRequest) => {
      const { runId, limit = 200, cursor } = request.query;
      const { tenant } = identityOf(request);
      const page =
        runId === undefined
          ? await auditPage(host.stored, host.auditKey, { tenant, limit, place: placeOf(cursor) })
          : await auditOneRun(host.stored, host.auditKey, runId, tenant);
      if (page === undefined) throw noSuchRun(runId ?? '');
      const { findings, checked, next, imported } = page;
      return {
        ok: findings.length === 0,
        findings,
        checked,
        keyId: host.auditKey.keyId,
        imported: imported && importedView(imported),
        nextCursor: next && cursorOf(next),
      };
    },
  );
};

const CURSOR = /^(checkpoints|runs)-(0|[1-9]\d{0,14})$/;

function cursorOf(place: AuditPlace): string {
  return place.part === 'runs' ? `runs-${place.after}` : `checkpoints-${place.from}`;
}

function placeOf(cursor: string | undefined): AuditPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, part, number] = CURSOR.exec(cursor) ?? [];
  if (part === 'runs') return { part, after: Number(number) };
  if (part === 'checkpoints') return { part, from: Number(number) };
  throw invalid('query', { field: 'cursor', problem: 'is not the `nextCursor` of an earlier answer' });
}
