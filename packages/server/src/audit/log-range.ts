import { type LogRange, type PublicKey, verifyAuditLog } from '@baton/engine';
import type { AuditReads } from '@baton/engine/ports';
import { type AuditLogReport, type CONTRACTS, invalid, type PartOf } from '@baton/protocol';

/** The part of the route `/v1/audit/verify` that the protocol defines. Its query has its own two parameters. */

type Query = PartOf<typeof CONTRACTS.verifyAudit, 'query'>;

/** `undefined` when the query has neither parameter of the protocol. */
export function logRange({ fromSeq, toSeq, ...others }: Query): LogRange | undefined {
  if (fromSeq === undefined && toSeq === undefined) return undefined;
  if (fromSeq === undefined) throw refused('fromSeq', 'must be given together with `toSeq`');
  if (toSeq === undefined) throw refused('toSeq', 'must be given together with `fromSeq`');
  if (toSeq < fromSeq) throw refused('toSeq', 'must be at least `fromSeq`');
  const [other] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (other !== undefined) throw refused(other, 'cannot be given together with `fromSeq` and `toSeq`');
  return { fromSeq, toSeq };
}

export async function auditLogReport(
  reads: AuditReads,
  key: PublicKey,
  range: LogRange,
): Promise<AuditLogReport> {
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
