import { type AuditPlace, auditOneRun, auditPage, importedView } from '@baton/engine';
import { CONTRACTS, invalid } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { noSuchRun } from '../runs/run-of.ts';
import { auditLogReport, logRange } from './log-range.ts';

/**
 * Recomputes hash chains from the stored events and compares them with the signed checkpoints. A query of the
 * protocol gets the protocol's answer, which covers the checkpoints alone.
 */

export const verifyRoute: Routes = (app, host) => {
  bind(
    app,
    CONTRACTS.verifyAudit,
    async (request) => {
      const range = logRange(request.query);
      if (range !== undefined) return auditLogReport(host.stored, host.auditKey, range);
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
    { heavy: 'read' },
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
