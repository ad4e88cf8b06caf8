import { existsSync } from 'node:fs';
import { type AuditedMerge, auditRun, type RunAudit } from '@baton/engine';
import { openSqliteReads } from '@baton/store-sqlite';
import type { Terminal } from './terminal.ts';
import { verificationReport } from './verification-report.ts';

/**
 * Recomputes the checksums of everything a run took over from its children, straight from the data folder,
 * also while a host works in it. True when all of it agrees.
 */
export async function verifyRun(folder: string, runId: string, terminal: Terminal): Promise<boolean> {
  const audit = await audited(folder, runId);
  const { attestations, allMatch } = audit;
  if (attestations.length === 0) {
    terminal.note(`Nothing came to a gate in run ${runId}, so there is nothing to verify.`);
    return true;
  }
  terminal.print(verificationReport(attestations));
  terminal.note(allMatch ? agreement(attestations) : disagreement(attestations));
  return allMatch;
}

async function audited(folder: string, runId: string): Promise<RunAudit> {
  if (!existsSync(folder)) {
    throw new Error(`There is no data folder ${folder}; name the right one with --data or BATON_DATA.`);
  }
  const reads = openSqliteReads(folder);
  try {
    const tenant = reads.tenantOf(runId);
    const audit = tenant === undefined ? undefined : await auditRun(reads, { tenant, runId });
    if (audit === undefined) throw new Error(`There is no run ${runId} in ${folder}.`);
    return audit;
  } finally {
    reads.close();
  }
}

function agreement(merges: readonly AuditedMerge[]): string {
  const unattested = merges.filter((merge) => merge.merged && merge.matches === undefined).length;
  const rest = unattested === 0 ? '' : ` (${unattested} merged without a checksum; nobody asked for one)`;
  return `Everything agrees with the logs of the children${rest}.`;
}

function disagreement(merges: readonly AuditedMerge[]): string {
  const bad = merges.filter(
    (merge) => merge.matches === false || merge.variables.some((variable) => !variable.matches),
  );
  const children = bad.map((merge) => merge.childRunId).join(', ');
  return (
    `The stored logs do not agree about ${children}: ` +
    'they were changed after they were written. Compare them with a backup.'
  );
}
