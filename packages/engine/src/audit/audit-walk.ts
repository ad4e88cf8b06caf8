import type { AuditReads } from '../ports/audit.ts';
import type { ImportRecord } from '../ports/store.ts';
import type { Finding } from './finding.ts';
import type { PublicKey } from './signing-key.ts';
import type { ChainVerdict } from './verify-chain.ts';
import { verifyCheckpointPage, verifyRunChain } from './verify-store.ts';

/** An audit of everything, in pages of bounded size: first the checkpoints, then run by run. */

/** Where a page begins. */
export type AuditPlace =
  | { readonly part: 'checkpoints'; readonly from: number }
  | { readonly part: 'runs'; readonly after: number };

export interface AuditQuery {
  /** Left out means all tenants, for whoever holds the data folder. */
  readonly tenant?: string;
  readonly place?: AuditPlace;
  /** Checkpoints or runs in this page; fewer when their logs are long. */
  readonly limit: number;
}

export interface AuditPage {
  readonly findings: readonly Finding[];
  readonly checked: AuditCounts;
  /** Where the run comes from, when one was asked for that this host did not perform itself. */
  readonly imported?: ImportRecord;
  /** Nothing when this was the last page. */
  readonly next?: AuditPlace;
}

export interface AuditCounts {
  readonly checkpoints: number;
  readonly runs: number;
  readonly events: number;
  /** Runs from before there were chains. */
  readonly unchained: number;
  /** Runs whose latest events no checkpoint speaks for yet. */
  readonly unsigned: number;
  /** Runs whose logs were removed when their time was over. */
  readonly purged: number;
  /** Runs that this host took in from elsewhere, and those among them that nobody vouches for. */
  readonly imported: number;
  readonly unvouched: number;
}

export const NOTHING_CHECKED: AuditCounts = {
  checkpoints: 0,
  runs: 0,
  events: 0,
  unchained: 0,
  unsigned: 0,
  purged: 0,
  imported: 0,
  unvouched: 0,
};

const FIRST: AuditPlace = { part: 'checkpoints', from: 1 };
/** A page ends after the run in which it has read so many. */
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
  const runs = reads.runsInOrder(after, limit, tenant);
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
 * One run, and the newest checkpoint that speaks for it: when the log leads to the link in that one, nothing
 * before it can have been changed. Nothing comes back when there is no such run.
 */
export async function auditOneRun(
  reads: AuditReads,
  key: PublicKey | undefined,
  runId: string,
  tenant?: string,
): Promise<AuditPage | undefined> {
  const verdict = await verifyRunChain(reads, key, runId, tenant);
  if (verdict === undefined) return undefined;
  const newest = reads.chainRecord(runId, tenant)?.leaves.at(-1)?.checkpoint;
  const checked = countsOf(verdict);
  const { imported } = verdict;
  if (newest === undefined) return { findings: verdict.findings, checked, ...(imported && { imported }) };
  const signed = await verifyCheckpointPage(reads, key, newest, 1);
  const counted = addCounts(checked, { ...NOTHING_CHECKED, checkpoints: signed.checked });
  const findings = [...verdict.findings, ...signed.findings];
  return { findings, checked: counted, ...(imported && { imported }) };
}

function countsOf({ events, chained, signed, purged, imported }: ChainVerdict): AuditCounts {
  return {
    ...NOTHING_CHECKED,
    runs: 1,
    events,
    purged: purged ? 1 : 0,
    imported: imported ? 1 : 0,
    unvouched: imported && imported.vouchedBy === undefined ? 1 : 0,
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
    imported: a.imported + b.imported,
    unvouched: a.unvouched + b.unvouched,
  };
}
