import { type AuditPlace, auditPage } from '@baton/engine';
import { AUDIT_KEY } from '../simulated-host.ts';
import type { World } from '../world.ts';

/** An audit of all that is stored finds nothing. */
export async function problemsWithAudit({ reads }: World): Promise<readonly string[]> {
  const problems: string[] = [];
  let place: AuditPlace | undefined;
  do {
    const page = await auditPage(reads, AUDIT_KEY, { limit: 100, ...(place && { place }) });
    problems.push(...page.findings.map(({ message }) => `the audit found that ${message}`));
    place = page.next;
  } while (place !== undefined);
  return problems;
}
