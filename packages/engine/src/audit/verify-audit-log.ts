import { setImmediate } from 'node:timers/promises';
import type { AuditLogReport } from '@baton/protocol';
import type { StoredCheckpoint } from '../ports/audit.ts';
import type { CheckpointReads } from '../ports/reads/audit.ts';
import { checkCheckpoint } from './checkpoint.ts';
import { presentLog, storedDigest } from './present-log.ts';
import type { PublicKey } from './signing-key.ts';

/**
 * Checks a part of the audit log that the protocol defines in its profile `openwop-audit-log-integrity`. The
 * entries of the log are signed checkpoints, and each is also the checkpoint that anchors its own entry. The
 * Merkle root of such a checkpoint is therefore the hash of one entry.
 */

/** Both ends are part of the range. The first entry has sequence 1. */
export interface LogRange {
  readonly fromSeq: number;
  readonly toSeq: number;
}

/** Bounds the work for one answer. */
interface LogBounds {
  readonly checkpoints: number;
  readonly leaves: number;
}

const BOUNDS: LogBounds = { checkpoints: 10_000, leaves: 1_000_000 };

/** The range holds more than the bounds allow. The range up to this sequence does not. */
interface RangeTooLarge {
  readonly tooLargeAfter: number;
}

/** Stands in an anomaly for the hash of an entry that is not there, such as the one before the first. */
const NO_HASH = '0'.repeat(64);
/** The protocol's sign for an entry without a `prevHash`. The entry is missing, or its hash does not agree. */
const NONE_CARRIED = '';

export async function verifyAuditLog(
  reads: CheckpointReads,
  key: PublicKey,
  { fromSeq, toSeq }: LogRange,
  bounds: LogBounds = BOUNDS,
): Promise<AuditLogReport | RangeTooLarge> {
  const { offset, length, newestAgrees } = await presentLog(reads, key);
  const first = Math.max(fromSeq, 1);
  const to = Math.min(toSeq, length);
  const report = emptyReport({ fromSeq, toSeq });
  let previous = first > to ? undefined : await storedDigest(reads, offset + first - 1);
  let leaves = 0;
  if (first <= to && previous === undefined) tell(report, first, undefined, NONE_CARRIED);
  for (let next = first; next <= to; next += 1) {
    if (report.checkpoints.length >= bounds.checkpoints || leaves >= bounds.leaves) {
      return { tooLargeAfter: next - 1 };
    }
    // One at a time, because a checkpoint may cover thousands of runs.
    const [stored] = await reads.checkpoints(offset + next, 1);
    const sequence = stored === undefined ? to + 1 : stored.number - offset;
    if (sequence > next) {
      tell(report, next, previous, NONE_CARRIED);
      previous = undefined;
      next = sequence;
    }
    if (stored === undefined || next > to) break;
    previous = addEntry(report, stored, next, previous, key);
    leaves += stored.leaves.length;
    await setImmediate();
  }
  // A forged newest checkpoint could hide where the log begins and ends.
  if (!newestAgrees && report.chainValid) tell(report, first, undefined, NONE_CARRIED);
  return report;
}

function emptyReport(range: LogRange): AuditLogReport {
  return { ...range, chainValid: true, checkpointsValid: true, checkpoints: [], anomalies: [] };
}

/** Returns the digest that the next entry must carry as its `prevHash`. */
function addEntry(
  report: AuditLogReport,
  stored: StoredCheckpoint,
  sequence: number,
  previous: string | undefined,
  key: PublicKey,
): string {
  const { signature, lost, changed, digest } = checkCheckpoint(previous, stored, key);
  if (stored.sequence !== sequence || lost > 0 || changed) tell(report, sequence, previous, NONE_CARRIED);
  // The hash agrees, so the entry carries the expected `prevHash`. Only its signature is wrong.
  else if (signature !== 'valid') tell(report, sequence, previous, expectedHash(sequence, previous));
  if (signature !== 'valid') report.checkpointsValid = false;
  report.checkpoints.push({
    checkpoint: `${stored.number}`,
    atSequence: sequence,
    merkleRoot: stored.digest,
    signature: stored.signature,
  });
  return digest;
}

/** One anomaly for each place: an entry that is missing may also be the one before the range. */
function tell(report: AuditLogReport, atSeq: number, previous: string | undefined, actual: string): void {
  report.chainValid = false;
  if (report.anomalies.at(-1)?.atSeq === atSeq) return;
  const expectedPrevHash = expectedHash(atSeq, previous);
  report.anomalies.push({ atSeq, expectedPrevHash, actualPrevHash: actual });
}

function expectedHash(sequence: number, previous: string | undefined): string {
  return sequence === 1 || !previous ? NO_HASH : previous;
}
