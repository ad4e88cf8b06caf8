import {
  type AuditPlace,
  auditOneRun,
  auditPage,
  type LogRange,
  type PublicKey,
  verifyAuditLog,
} from '@baton/engine';
import type { AuditReads } from '@baton/engine/ports';
import { type AuditLogReport, CONTRACTS, invalid, type PartOf } from '@baton/protocol';
import { identityOf } from '../auth/bearer.ts';
import { bind } from '../http/bind.ts';
import type { Routes } from '../http/context.ts';
import { noSuchRun } from '../runs/run-of.ts';

export const auditRoutes: Routes = (app, host) => {
  verifyRoute(app, host);
  bind(app, CONTRACTS.readAuditKey, async () => ({
    keyId: host.auditKey.keyId,
    algorithm: 'Ed25519',
    publicKey: host.auditKey.pem,
  }));
};

/**
 * Recomputes hash chains from the stored events and compares them with the signed checkpoints. A query of the
 * protocol gets the protocol's answer, which covers the checkpoints alone.
 */

const verifyRoute: Routes = (app, host) => {
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
      const { findings, checked, next } = page;
      return {
        ok: findings.length === 0,
        findings,
        checked,
        keyId: host.auditKey.keyId,
        nextCursor: next && cursorOf(next),
      };
    },
    { heavy: true },
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

/** The part of the route `/v1/audit/verify` that the protocol defines. Its query has its own two parameters. */

type Query = PartOf<typeof CONTRACTS.verifyAudit, 'query'>;

/** `undefined` when the query has neither parameter of the protocol. */
function logRange({ fromSeq, toSeq, ...others }: Query): LogRange | undefined {
  if (fromSeq === undefined && toSeq === undefined) return undefined;
  if (fromSeq === undefined) throw refused('fromSeq', 'must be given together with `toSeq`');
  if (toSeq === undefined) throw refused('toSeq', 'must be given together with `fromSeq`');
  if (toSeq < fromSeq) throw refused('toSeq', 'must be at least `fromSeq`');
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (other !== undefined) throw refused(other, 'cannot be given together with `fromSeq` and `toSeq`');
  return { fromSeq, toSeq };
}

async function auditLogReport(reads: AuditReads, key: PublicKey, range: LogRange): Promise<AuditLogReport> {
  const report = await verifyAuditLog(reads, key, range);
  if ('chainValid' in report) return report;
  const { tooLargeAfter: upTo } = report;
  throw refused(
    'toSeq',
    `is too far from \`fromSeq\` for one answer; ask up to ${upTo}, then from ${upTo + 1}`,
  );
}

function refused(field: string, problem: string): Error {
  return invalid('query', { field, problem });
}
