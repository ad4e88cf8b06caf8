import { canonicalJson } from '@baton/protocol';
import type { ChainLeaf, LastCheckpoint, SignedCheckpoint, StoredCheckpoint } from '../ports/audit.ts';
import { sha256 } from './sha256.ts';
import type { PublicKey, SigningKey } from './signing-key.ts';

/**
 * Makes and checks signed checkpoints. A checkpoint is an entry of the audit log that the protocol defines in its
 * profile `openwop-audit-log-integrity`.
 */

/** How long an event waits at most for the checkpoint that covers it, while the disk has room. */
export const CHECKPOINT_EVERY_MS = 1000;

/** The order in which leaves are signed. */
export function inLeafOrder(leaves: Iterable<ChainLeaf>): readonly ChainLeaf[] {
  return [...leaves].sort((a, b) => (a.runId < b.runId ? -1 : 1));
}

/**
 * Whether the checkpoint after this one begins an audit log. One log holds only checkpoints that the same key
 * signed, so that one public key verifies all of it.
 */
export function endsLog({ keyId }: SignedCheckpoint, key: Pick<SigningKey, 'keyId'>): boolean {
  return keyId !== key.keyId;
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
  return { ...head, digest, signature: key.sign(signedPart(digest)) };
}

function sequenceAfter(newest: SignedCheckpoint | undefined, number: number, key: SigningKey): number {
  if (newest === undefined) return number;
  return endsLog(newest, key) ? 1 : newest.sequence + number - newest.number;
}

type CheckpointHead = Pick<SignedCheckpoint, 'number' | 'at' | 'keyId' | 'sequence'>;

/**
 * `previous` is the digest of the checkpoint before, and empty before the first. `leaves` must be in leaf
 * order.
 */
function checkpointDigest(previous: string, head: CheckpointHead, leaves: readonly ChainLeaf[]): string {
  const { number, at, keyId, sequence } = head;
  let lines = '';
  for (const { runId, head: events, link } of leaves) lines += `${runId} ${events} ${link}\n`;
  const isFirst = sequence === 1 || previous === '';
  const entry = {
    sequence,
    checkpoint: number,
    at,
    keyId,
    runs: sha256(lines),
    prevHash: isFirst ? null : previous,
    // The first entry of a log is still bound to the last checkpoint of the log before.
    ...(isFirst && previous !== '' && { follows: previous }),
  };
  return sha256(canonicalJson(entry));
}

/** No signature can cover another text. */
const SHA256_HEX = /^[0-9a-f]{64}$/;

/**
 * A checkpoint anchors one entry of the audit log, its own. Its Merkle root is therefore the hash of this entry, and
 * the signature covers the 32 bytes of the root.
 */
function signedPart(digest: string): Uint8Array {
  return Buffer.from(digest, 'hex');
}

interface CheckpointCheck {
  /** `foreign`: it was signed with another key. `unchecked`: the auditor has no key. */
  readonly signature: 'valid' | 'invalid' | 'foreign' | 'unchecked';
  /** The number of its leaves that were removed. */
  readonly lost: number;
  /** Whether the digest is not that of the stored contents. It is not known after a missing checkpoint. */
  readonly changed: boolean;
  /** The digest that the next checkpoint must bind. */
  readonly digest: string;
}

/** Checks one stored checkpoint. `previous` is the digest that it must bind, if this is known. */
export function checkCheckpoint(
  previous: string | undefined,
  checkpoint: StoredCheckpoint,
  key: PublicKey | undefined,
): CheckpointCheck {
  const signature = signatureOf(checkpoint, key);
  const leaves = checkpoint.leaves.filter((leaf): leaf is ChainLeaf => leaf !== undefined);
  const computed = previous === undefined ? undefined : checkpointDigest(previous, checkpoint, leaves);
  return {
    signature,
    lost: checkpoint.leaves.length - leaves.length,
    changed: computed !== undefined && computed !== checkpoint.digest,
    // A digest with a valid signature is the one that was written, whatever happened to the contents.
    digest: signature === 'valid' ? checkpoint.digest : (computed ?? checkpoint.digest),
  };
}

function signatureOf(checkpoint: StoredCheckpoint, key: PublicKey | undefined): CheckpointCheck['signature'] {
  if (key === undefined) return 'unchecked';
  if (key.keyId !== checkpoint.keyId) return 'foreign';
  const { digest, signature } = checkpoint;
  return SHA256_HEX.test(digest) && key.verifies(signedPart(digest), signature) ? 'valid' : 'invalid';
}
