import { canonicalJson } from '@baton/protocol';
import type { ChainLeaf, SignedCheckpoint } from '../ports/audit.ts';
import { sha256 } from './sha256.ts';

/**
 * The digest of a checkpoint, and the bytes that its signature covers. There are two rules. A checkpoint with
 * a sequence is an entry of the audit log that the protocol defines in its profile
 * `openwop-audit-log-integrity`. A checkpoint without one was written by an earlier version.
 */

type CheckpointHead = Pick<SignedCheckpoint, 'number' | 'at' | 'keyId' | 'sequence'>;

/**
 * `previous` is the digest of the checkpoint before, and empty before the first. `leaves` must be in leaf
 * order.
 */
export function checkpointDigest(
  previous: string,
  head: CheckpointHead,
  leaves: readonly ChainLeaf[],
): string {
  const { number, at, keyId, sequence } = head;
  const lines = leafLines(leaves);
  if (sequence === undefined) return sha256(`${previous}\n${number} ${at} ${keyId}\n${lines}`);
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

function leafLines(leaves: readonly ChainLeaf[]): string {
  let lines = '';
  for (const { runId, head, link } of leaves) lines += `${runId} ${head} ${link}\n`;
  return lines;
}

const SHA256_HEX = /^[0-9a-f]{64}$/;

/**
 * A checkpoint of the audit log anchors one entry, its own. Its Merkle root is therefore the hash of this
 * entry, and the signature covers the 32 bytes of the root. By the earlier rule the signature covers the 64
 * characters of the digest. `undefined` when the stored digest is no SHA-256, which no signature can cover.
 */
export function signedPart({
  digest,
  sequence,
}: Pick<SignedCheckpoint, 'digest' | 'sequence'>): string | Uint8Array | undefined {
  if (!SHA256_HEX.test(digest)) return undefined;
  return sequence === undefined ? digest : Buffer.from(digest, 'hex');
}
