import type { AuditReads } from '../ports/reads/audit.ts';
import type { Finding } from './finding.ts';
import type { PublicKey } from './signing-key.ts';
import type { ChainVerdict } from './verify-chain.ts';
import { verifyCheckpointPage, verifyRunChain } from './verify-store.ts';

/** An audit of all stored data, in pages of bounded size: first the signed checkpoints, then the runs. */

/** Where a page begins. */
export type AuditPlace =
  | { readonly part: 'checkpoints'; readonly from: number }
  | { readonly part: 'runs'; readonly after: number };

interface AuditQuery {
  /** Absent: all tenants. Only for the operator, who has access to the data folder. */
  readonly tenant?: string;
  readonly place?: AuditPlace;
  /** Checkpoints or runs in this page; fewer when their logs are long. */
  readonly limit: number;
}

export interface AuditPage {
  readonly findings: readonly Finding[];
  readonly checked: AuditCounts;
  /** Absent on the last page. */
  readonly next?: AuditPlace;
}

export interface AuditCounts {
  readonly checkpoints: number;
  readonly runs: number;
  readonly events: number;
  /** Runs that were stored before hash chains existed. */
  readonly unchained: number;
  /** Runs whose latest events are not yet covered by a signed checkpoint. */
  readonly unsigned: number;
  /** Runs whose logs were removed because their retention time was over. */
  readonly purged: number;
}

export const NOTHING_CHECKED: AuditCounts = {
  checkpoints: 0,
  runs: 0,
  events: 0,
  unchained: 0,
  unsigned: 0,
  purged: 0,
};

const FIRST: AuditPlace = { part: 'checkpoints', from: 1 };
/** A page ends after the run with which it has read this many events. */
const EVENTS_IN_A_PAGE = 100_000;

export async function auditPage(
  reads: AuditReads,
  key: PublicKey | undefined,
  { tenant, place = FIRST, limit }: AuditQuery,
): Promise<AuditPage> {
  if (place.part === 'runs') return runsPage(reads, key, place.after, limit, tenant);
  const signed = await verifyCheckpointPage(reads, key, place.from, limit);
  const checked = { ...NOTHING_CHECKED, checkpoints: signed.checked };
  if (signed.next !== undefined) {
    return { findings: signed.findings, checked, next: { part: 'checkpoints', from: signed.next } };
  }
  const runs = await runsPage(reads, key, 0, limit, tenant);
  return {
    ...runs,
    findings: [...signed.findings, ...runs.findings],
    checked: addCounts(checked, runs.checked),
  };
}

async function runsPage(
  reads: AuditReads,
  key: PublicKey | undefined,
  after: number,
  limit: number,
  tenant: string | undefined,
): Promise<AuditPage> {
  const findings: Finding[] = [];
  const runs = await reads.runsInOrder(after, limit, tenant);
  let checked = NOTHING_CHECKED;
  for (const { number, runId } of runs) {
    const verdict = await verifyRunChain(reads, key, runId, tenant);
    if (verdict === undefined) continue;
    findings.push(...verdict.findings);
    checked = addCounts(checked, countsOf(verdict));
    if (checked.events < EVENTS_IN_A_PAGE) continue;
    return { findings, checked, next: { part: 'runs', after: number } };
  }
  const last = runs.at(-1);
  if (runs.length < limit || last === undefined) return { findings, checked };
  return { findings, checked, next: { part: 'runs', after: last.number } };
}

/**
 * Checks one run and the newest signed checkpoint that covers it. If the log leads to the link in that
 * checkpoint, no event before it was changed. `undefined` when the run does not exist.
 */
export async function auditOneRun(
  reads: AuditReads,
  key: PublicKey | undefined,
  runId: string,
  tenant?: string,
): Promise<AuditPage | undefined> {
  const verdict = await verifyRunChain(reads, key, runId, tenant);
  if (verdict === undefined) return undefined;
  const newest = (await reads.chainRecord(runId, tenant))?.leaves.at(-1)?.checkpoint;
  const checked = countsOf(verdict);
  if (newest === undefined) return { findings: verdict.findings, checked };
  const signed = await verifyCheckpointPage(reads, key, newest, 1);
  const counted = addCounts(checked, { ...NOTHING_CHECKED, checkpoints: signed.checked });
  const findings = [...verdict.findings, ...signed.findings];
  return { findings, checked: counted };
}

function countsOf({ events, chained, signed, purged }: ChainVerdict): AuditCounts {
  return {
    ...NOTHING_CHECKED,
    runs: 1,
    events,
    purged: purged ? 1 : 0,
    unchained: chained ? 0 : 1,
    unsigned: chained && !signed ? 1 : 0,
  };
}

export function addCounts(a: AuditCounts, b: AuditCounts): AuditCounts {
  return {
    checkpoints: a.checkpoints + b.checkpoints,
    runs: a.runs + b.runs,
    events: a.events + b.events,
    unchained: a.unchained + b.unchained,
    unsigned: a.unsigned + b.unsigned,
    purged: a.purged + b.purged,
  };
}
