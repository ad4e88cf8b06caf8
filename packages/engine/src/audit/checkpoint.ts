import type { ChainLeaf, LastCheckpoint, SignedCheckpoint } from '../ports/audit.ts';
import { checkpointDigest } from './checkpoint-digest.ts';
import type { SigningKey } from './signing-key.ts';

/** How long an event waits at most for the checkpoint that covers it, while the disk has room. */
export const CHECKPOINT_EVERY_MS = 1000;

/** The order in which leaves are signed. */
export function inLeafOrder(leaves: Iterable<ChainLeaf>): readonly ChainLeaf[] {
  return [...leaves].sort((a, b) => (a.runId < b.runId ? -1 : 1));
}

/**
 * Whether the checkpoint after this one begins an audit log. One log holds only checkpoints that the same key
 * signed, by the same rule, so that one public key verifies all of it.
 */
export function endsLog({ sequence, keyId }: SignedCheckpoint, key: Pick<SigningKey, 'keyId'>): boolean {
  return sequence === undefined || keyId !== key.keyId;
}

/**
 * The next checkpoint. The numbers and sequences of checkpoints that were removed are not used again, so that
 * an audit finds the gap. `leaves` must already be in leaf order.
 */
export function signCheckpoint(
  { number: last, newest }: LastCheckpoint,
  at: number,
  leaves: readonly ChainLeaf[],
  key: SigningKey,
): SignedCheckpoint {
  const number = last + 1;
  const head = { number, at, keyId: key.keyId, sequence: sequenceAfter(newest, number, key) };
  const digest = checkpointDigest(newest?.digest ?? '', head, leaves);
  return { ...head, digest, signature: key.sign(Buffer.from(digest, 'hex')) };
}

function sequenceAfter(newest: SignedCheckpoint | undefined, number: number, key: SigningKey): number {
  if (newest === undefined) return number;
  if (newest.sequence === undefined || endsLog(newest, key)) return 1;
  return newest.sequence + number - newest.number;
}
