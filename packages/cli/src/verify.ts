import {
  type AuditedMerge,
  type AuditPage,
  addCounts,
  auditOneRun,
  auditPage,
  auditRun,
  NOTHING_CHECKED,
  type PublicKey,
  type RunAudit,
} from '@baton/engine';
import type { AuditReads, DefinitionReads, LogReads, PeerReads, RunReads } from '@baton/engine/ports';
import { readAuditKey } from '@baton/server';
import { type StorageLocation, type StoredKeys, storageAt } from '@baton/server/storage';
import { chainSummary, findingsReport } from './chain-report.ts';
import type { Terminal } from './terminal.ts';
import { verificationReport } from './verification-report.ts';

/**
 * Recomputes hash chains and checksums directly from the storage. It changes nothing, and a host may use
 * the storage meanwhile. The functions return true if all chains and checksums agree.
 */

interface Audited {
  readonly location: StorageLocation;
  /** The public or private audit key; by default the key that is kept with the data. */
  readonly keyFile: string | undefined;
}

type Reads = AuditReads &
  Pick<RunReads, 'run' | 'tenantOf'> &
  Pick<LogReads, 'events'> &
  DefinitionReads &
  Pick<PeerReads, 'peers'>;

const IN_A_PAGE = 500;
const PROGRESS_EVERY_MS = 2000;

export async function verifyAll(where: Audited, terminal: Terminal): Promise<boolean> {
  return inStorage(where, terminal, async (reads, key) => {
    let toldAt = Date.now();
    let page = await auditPage(reads, key, { limit: IN_A_PAGE });
    let { checked, findings } = page;
    while (page.next !== undefined) {
      page = await auditPage(reads, key, { limit: IN_A_PAGE, place: page.next });
      checked = addCounts(checked, page.checked);
      findings = [...findings, ...page.findings];
      if (Date.now() - toldAt < PROGRESS_EVERY_MS) continue;
      toldAt = Date.now();
      terminal.note(`${checked.checkpoints} checkpoints, ${checked.runs} runs, ${checked.events} events …`);
    }
    return tellChain({ findings, checked }, terminal);
  });
}

export async function verifyRun(where: Audited, runId: string, terminal: Terminal): Promise<boolean> {
  return inStorage(where, terminal, async (reads, key) => {
    const tenant = await reads.tenantOf(runId);
    const row = tenant === undefined ? undefined : await reads.run(tenant, runId);
    if (row === undefined) throw new Error(`There is no run ${runId} in ${storageAt(where.location).name}.`);
    const isGone = row.erasedAt !== undefined || row.purgedAt !== undefined;
    const audit = isGone ? undefined : await auditRun(reads, { tenant: row.tenant, runId });
    if (isGone) terminal.note(`The contents of run ${runId} were removed; only its links can be checked.`);
    const merges = audit === undefined || tellMerges(audit, terminal);
    const tree = await auditTree(reads, key, [runId, ...childrenIn(audit)]);
    return tellChain(tree, terminal) && merges;
  });
}

/** The children whose outputs reached a merge gate. */
function childrenIn(audit: RunAudit | undefined): readonly string[] {
  return audit?.attestations.map((merge) => merge.childRunId) ?? [];
}

async function auditTree(reads: Reads, key: PublicKey | undefined, runIds: readonly string[]) {
  let sum: Pick<AuditPage, 'findings' | 'checked'> = { findings: [], checked: NOTHING_CHECKED };
  for (const one of new Set(runIds)) {
    const page = await auditOneRun(reads, key, one);
    if (page === undefined) continue;
    sum = {
      findings: [...sum.findings, ...page.findings],
      checked: addCounts(sum.checked, page.checked),
    };
  }
  return sum;
}

async function inStorage(
  { location, keyFile }: Audited,
  terminal: Terminal,
  look: (reads: Reads, key: PublicKey | undefined) => Promise<boolean>,
): Promise<boolean> {
  const storage = storageAt(location);
  // Opened first: a folder that is missing is reported before its key is.
  const reads = await storage.openReads();
  try {
    return await look(reads, await keyFor(storage, keyFile, terminal));
  } finally {
    await reads.close();
  }
}

async function keyFor(
  storage: StoredKeys,
  keyFile: string | undefined,
  terminal: Terminal,
): Promise<PublicKey | undefined> {
  const key = await readAuditKey(storage, keyFile);
  if (key === undefined) {
    terminal.note('There is no audit key, so signatures are not checked; set it with --audit-key.');
  }
  return key;
}

function tellChain(
  { findings, checked }: Pick<AuditPage, 'findings' | 'checked'>,
  terminal: Terminal,
): boolean {
  if (findings.length > 0) terminal.print(findingsReport(findings));
  terminal.note(chainSummary(findings, checked));
  return findings.length === 0;
}

function tellMerges({ runId, attestations, allMatch }: RunAudit, terminal: Terminal): boolean {
  if (attestations.length === 0) {
    terminal.note(`No outputs reached a merge gate in run ${runId}.`);
    return true;
  }
  terminal.print(verificationReport(attestations));
  terminal.note(allMatch ? agreement(attestations) : disagreement(attestations));
  return allMatch;
}

function agreement(merges: readonly AuditedMerge[]): string {
  const unattested = merges.filter((merge) => merge.merged && merge.matches === undefined).length;
  const rest = unattested === 0 ? '' : ` (${unattested} merged without a checksum, as configured)`;
  return `Everything agrees with the logs of the children${rest}.`;
}

function disagreement(merges: readonly AuditedMerge[]): string {
  const bad = merges.filter(
    (merge) =>
      merge.matches === false ||
      merge.remote?.matches === false ||
      merge.variables.some((variable) => !variable.matches),
  );
  const children = bad.map((merge) => merge.childRunId).join(', ');
  return (
    `The stored logs do not agree about ${children}: ` +
    'they were changed after they were written. Compare them with a backup.'
  );
}
