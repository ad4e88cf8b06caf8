import { setImmediate } from 'node:timers/promises';
import { FIRST_LINK } from '@baton/protocol';
import type { ChainRecord, FiledEvent } from '../ports/audit.ts';
import type { ChainReads, CheckpointReads } from '../ports/reads/audit.ts';
import type { ChainStart } from './chain-walk.ts';
import { erasureDigest } from './erasure.ts';
import type { Finding } from './finding.ts';
import { storedDigest } from './present-log.ts';
import { extendLink } from './sha256.ts';
import type { PublicKey } from './signing-key.ts';
import { type ChainVerdict, FROM_THE_BEGINNING, verifyChain } from './verify-chain.ts';
import { verifyCheckpoints } from './verify-checkpoints.ts';

/** Checks the stored data one page at a time, and gives the thread to other work in between. */

const EVENTS_AT_ONCE = 256;
/** A page ends after the checkpoint with which it has read this many leaves. */
const LEAVES_IN_A_PAGE = 100_000;

/** `undefined` when the run does not exist. */
export async function verifyRunChain(
  reads: ChainReads,
  key: PublicKey | undefined,
  runId: string,
  tenant?: string,
): Promise<ChainVerdict | undefined> {
  const record = await reads.chainRecord(runId, tenant);
  if (record === undefined) return undefined;
  const verdict = await verdictOn(reads, key, record);
  if (verdict.findings.length === 0 || record.erasure !== undefined) return verdict;
  // The run may have been erased while it was read.
  const now = await reads.chainRecord(runId, tenant);
  return now?.erasure === undefined ? verdict : verdictOn(reads, key, now);
}

async function verdictOn(
  reads: ChainReads,
  key: PublicKey | undefined,
  record: ChainRecord,
): Promise<ChainVerdict> {
  if (record.row.purgedAt !== undefined) return PURGED;
  const start = await startOf(reads, record);
  const verifier = verifyChain(record, start);
  const end = record.leaves.reduce((most, { head }) => Math.max(most, head), record.row.head);
  const later: FiledEvent[] = [];
  for await (const page of pagesOf(reads, record.row.runId, start.sequence, end)) {
    for (const event of page) {
      if (event.sequence < end) verifier.add(event);
      else later.push(event);
    }
  }
  for (const event of await notStoredMeanwhile(reads, record, later)) verifier.add(event);
  const verdict = verifier.finish();
  const forged = forgedErasure(record, key);
  return forged === undefined ? verdict : { ...verdict, findings: [...verdict.findings, forged] };
}

const PURGED: ChainVerdict = { findings: [], events: 0, chained: true, signed: true, purged: true };

/** The events from `start` on. Ends with the first page that has events at or after `end`. */
async function* pagesOf(reads: ChainReads, runId: string, start: number, end: number) {
  for (let from = start; ; ) {
    const page = await reads.filedEvents(runId, from, EVENTS_AT_ONCE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (last.sequence >= end) return;
    from = last.sequence + 1;
    await setImmediate();
  }
}

/**
 * Each page is read at a different moment. An event after the end of the log may have been stored during the
 * audit: then the row of the run counts it by now, and it is left to the next audit.
 */
async function notStoredMeanwhile(
  reads: ChainReads,
  { row: { runId, tenant } }: ChainRecord,
  later: readonly FiledEvent[],
): Promise<readonly FiledEvent[]> {
  if (later.length === 0) return later;
  const head = (await reads.chainRecord(runId, tenant))?.row.head ?? 0;
  return later.filter(({ sequence }) => sequence >= head);
}

async function startOf(reads: ChainReads, { row }: ChainRecord): Promise<ChainStart> {
  const { fork, tenant } = row;
  if (fork === undefined || fork.fromSeq === 0) return FROM_THE_BEGINNING;
  return { sequence: fork.fromSeq, link: await linkAt(reads, fork.sourceRunId, fork.fromSeq, tenant) };
}

/**
 * The link before an event. It is computed from the last signed link before it, in the log of the run that
 * wrote the event.
 */
async function linkAt(reads: ChainReads, runId: string, at: number, tenant: string): Promise<string> {
  const record = await reads.chainRecord(runId, tenant);
  if (record === undefined) return FIRST_LINK;
  const { fork } = record.row;
  if (fork !== undefined && fork.fromSeq >= at) return linkAt(reads, fork.sourceRunId, at, tenant);
  const erased = record.erasure?.links[at - (fork?.fromSeq ?? 0) - 1];
  if (erased !== undefined) return erased;
  const signed = record.leaves.findLast((leaf) => leaf.head <= at);
  const start = signed ? { sequence: signed.head, link: signed.link } : await startOf(reads, record);
  let { link } = start;
  for await (const page of pagesOf(reads, runId, start.sequence, at)) {
    const before = page.filter((event) => event.sequence < at);
    link = extendLink(
      link,
      before.map((event) => event.text),
    );
  }
  return link;
}

function forgedErasure({ row, erasure }: ChainRecord, key: PublicKey | undefined): Finding | undefined {
  if (erasure === undefined || key === undefined) return undefined;
  if (erasure.keyId === key.keyId && key.verifies(erasureDigest(erasure), erasure.signature))
    return undefined;
  const message =
    erasure.keyId === key.keyId
      ? `the record of the erasure of run ${row.runId} has an invalid signature`
      : `the record of the erasure of run ${row.runId} is signed with an unknown key (${erasure.keyId})`;
  const what = erasure.keyId === key.keyId ? 'erasure-changed' : 'key-unknown';
  return { what, runId: row.runId, message };
}

interface CheckpointPage {
  readonly findings: readonly Finding[];
  readonly checked: number;
  /** The number to go on from. Absent after the last checkpoint. */
  readonly next?: number;
}

/** Checks at most `limit` checkpoints from a number on, and fewer when they are large. */
export async function verifyCheckpointPage(
  reads: CheckpointReads,
  key: PublicKey | undefined,
  from: number,
  limit: number,
): Promise<CheckpointPage> {
  const number = Math.max(from - 1, 0);
  const verifier = verifyCheckpoints(key, { number, digest: await storedDigest(reads, number) });
  let checked = 0;
  let leaves = 0;
  let next = from;
  // One at a time, because a checkpoint may cover thousands of runs.
  while (checked < limit && leaves < LEAVES_IN_A_PAGE) {
    // Read first, so that a checkpoint written in between is not reported as missing.
    const written = await reads.lastCheckpointNumber();
    const [checkpoint] = await reads.checkpoints(next, 1);
    if (checkpoint === undefined) return { findings: verifier.finish(written), checked };
    verifier.add(checkpoint);
    next = checkpoint.number + 1;
    checked += 1;
    leaves += checkpoint.leaves.length;
    await setImmediate();
  }
  return { findings: verifier.pause(), checked, next };
}
