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
  type VouchedVariable,
} from '@baton/engine';
import type { AuditReads, DefinitionReads, LogReads, PeerReads, RunReads } from '@baton/engine/ports';
import { readAuditKey } from '@baton/server';
import { type StorageLocation, type StoredKeys, storageAt } from '@baton/server/storage';
import { chainSummary, findingsReport } from './chain-report.ts';
import { columns } from './columns.ts';
import { notFound } from './output/command-failure.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import type { Output } from './output/output.ts';

/**
 * Recomputes hash chains and checksums directly from the storage. It changes nothing, and a host may use
 * the storage meanwhile. The commands fail if a chain or a checksum does not agree. `--json` prints each finding as an
 * object, and a summary last.
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

export async function verifyAll(where: Audited, out: Output): Promise<ExitCode> {
  return inStorage(where, out, async (reads, key) =>
    tell({ ...(await auditAll(reads, key, out)), hasKey: key !== undefined }, out),
  );
}

type Checked = Pick<AuditPage, 'findings' | 'checked'>;

/** Checks everything that the storage holds. */
async function auditAll(reads: Reads, key: PublicKey | undefined, out: Output): Promise<Checked> {
  let toldAt = Date.now();
  let page = await auditPage(reads, key, { limit: IN_A_PAGE });
  let { checked, findings } = page;
  while (page.next !== undefined) {
    page = await auditPage(reads, key, { limit: IN_A_PAGE, place: page.next });
    checked = addCounts(checked, page.checked);
    findings = [...findings, ...page.findings];
    if (Date.now() - toldAt < PROGRESS_EVERY_MS) continue;
    toldAt = Date.now();
    out.note(`${checked.checkpoints} checkpoints, ${checked.runs} runs, ${checked.events} events …`);
  }
  return { checked, findings };
}

/** What the audit finds in the storage, and the number of its newest checkpoint; 0 if there is none. */
export function auditOf(where: Audited, out: Output): Promise<Checked & { readonly newest: number }> {
  return inStorage(where, out, async (reads, key) => ({
    ...(await auditAll(reads, key, out)),
    newest: await reads.lastCheckpointNumber(),
  }));
}

export async function verifyRun(where: Audited, runId: string, out: Output): Promise<ExitCode> {
  return inStorage(where, out, async (reads, key) => {
    const tenant = await reads.tenantOf(runId);
    const row = tenant === undefined ? undefined : await reads.run(tenant, runId);
    if (row === undefined) throw notFound(`There is no run ${runId} in ${storageAt(where.location).name}.`);
    const isGone = row.erasedAt !== undefined || row.purgedAt !== undefined;
    const audit = isGone ? undefined : await auditRun(reads, { tenant: row.tenant, runId });
    if (isGone) out.note(`The contents of run ${runId} were removed; only its links can be checked.`);
    if (audit !== undefined && out.form !== 'json') tellMerges(audit, out);
    const tree = await auditTree(reads, key, [runId, ...childrenIn(audit)]);
    return tell({ ...tree, hasKey: key !== undefined, run: { runId, audit } }, out);
  });
}

/** The children whose outputs reached a merge gate. */
function childrenIn(audit: RunAudit | undefined): readonly string[] {
  return audit?.attestations.map((merge) => merge.childRunId) ?? [];
}

async function auditTree(reads: Reads, key: PublicKey | undefined, runIds: readonly string[]) {
  let sum: Checked = { findings: [], checked: NOTHING_CHECKED };
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

async function inStorage<T>(
  { location, keyFile }: Audited,
  out: Output,
  look: (reads: Reads, key: PublicKey | undefined) => Promise<T>,
): Promise<T> {
  const storage = storageAt(location);
  // Opened first: a folder that is missing is reported before its key is.
  const reads = await storage.openReads();
  try {
    return await look(reads, await keyFor(storage, keyFile, out));
  } finally {
    await reads.close();
  }
}

async function keyFor(
  storage: StoredKeys,
  keyFile: string | undefined,
  out: Output,
): Promise<PublicKey | undefined> {
  const key = await readAuditKey(storage, keyFile);
  if (key === undefined) {
    out.note('There is no audit key, so signatures are not checked; set it with --audit-key.');
  }
  return key;
}

interface Verified extends Checked {
  /** Without the audit key, signatures are not checked. */
  readonly hasKey: boolean;
  /** The one run that was asked for. It has no audit if its contents were removed. */
  readonly run?: { readonly runId: string; readonly audit: RunAudit | undefined };
}

function tell({ findings, checked, hasKey, run }: Verified, out: Output): ExitCode {
  const agrees = findings.length === 0 && run?.audit?.allMatch !== false;
  if (out.form === 'json') {
    for (const finding of findings) out.give({ finding }, '');
    const merges = run && { runId: run.runId, attestations: run.audit?.attestations ?? [] };
    out.give({ agrees, findings: findings.length, checked, signaturesChecked: hasKey, ...merges }, '');
  } else if (findings.length > 0) out.give(undefined, findingsReport(findings));
  out.note(chainSummary(findings, checked));
  return agrees ? EXIT.done : EXIT.failed;
}

function tellMerges({ runId, attestations, allMatch }: RunAudit, out: Output): void {
  if (attestations.length === 0) {
    out.note(`No outputs reached a merge gate in run ${runId}.`);
    return;
  }
  out.give(undefined, verificationReport(attestations));
  out.note(allMatch ? agreement(attestations) : disagreement(attestations));
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

/** One line for each merged value, and one for each child whose outputs were not merged. */
export function verificationReport(merges: readonly AuditedMerge[]): string {
  return columns([
    ['', 'VARIABLE', 'WORKER', 'CHILD RUN', 'CHECKSUM', 'CRITIC', 'APPROVED BY', 'OUTCOME'],
    ...merges.flatMap((merge) =>
      merge.variables.length === 0
        ? [line(merge, undefined)]
        : merge.variables.map((variable) => line(merge, variable)),
    ),
  ]);
}

const SHORT = 12;

function line(merge: AuditedMerge, variable: VouchedVariable | undefined): readonly string[] {
  const { workerId, childRunId, editedChecksum, checksum, verdict, approvedBy } = merge;
  return [
    mark(merge, variable),
    variable?.name ?? '-',
    workerId,
    childRunId,
    (editedChecksum ?? checksum ?? '-').slice(0, SHORT),
    verdict ? `${verdict.verdict} (${verdict.agentId})` : '-',
    approvedBy.join(', ') || '-',
    outcome(merge, variable),
  ];
}

/** ✗: a checksum or value does not agree with the logs. ·: there is nothing to compare. ✓: all agree. */
function mark({ matches, remote }: AuditedMerge, variable: VouchedVariable | undefined): string {
  if (matches === false || variable?.matches === false || remote?.matches === false) return '✗';
  return matches === undefined && variable === undefined ? '·' : '✓';
}

const NOT_MERGED: Partial<Record<AuditedMerge['why'], string>> = {
  revised: 'sent back by the critic',
  undecided: 'not decided',
  'verdict-failed': 'refused by the critic',
  stopped: 'the run was stopped at the gate',
  rejected: 'rejected',
  expired: 'approval expired',
};

const MERGED: Partial<Record<AuditedMerge['why'], string>> = {
  approved: 'merged as approved',
  edited: 'merged as edited',
};

function outcome({ merged, why, remote }: AuditedMerge, variable: VouchedVariable | undefined): string {
  const elsewhere = remote === undefined ? '' : `, ${signed(remote)}`;
  if (!merged) return `${NOT_MERGED[why] ?? why}${elsewhere}`;
  const replaced = variable?.current === false ? ', replaced since' : '';
  return `${MERGED[why] ?? 'merged'}${replaced}${elsewhere}`;
}

type Remote = NonNullable<AuditedMerge['remote']>;

function signed({ hostId, runId, signature, matches }: Remote): string {
  const run = `run ${runId} of ${hostId}`;
  if (signature === 'key-unknown') return `${run}, whose audit key is not registered here`;
  if (signature === 'invalid') return `${run}, whose signature is not valid`;
  return matches === false ? `${run} signed other outputs` : `signed by ${hostId} for ${run}`;
}
