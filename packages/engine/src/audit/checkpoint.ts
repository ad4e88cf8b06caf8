import type { ChainLeaf, SignedCheckpoint } from '../ports/audit.ts';
import { sha256 } from './sha256.ts';
import type { SigningKey } from './signing-key.ts';

/**
 * A checkpoint binds the checkpoint before it, its own number, time and key, and the links of the runs that
 * advanced.
 */
export function checkpointDigest(
  previous: string,
  { number, at, keyId }: Pick<SignedCheckpoint, 'number' | 'at' | 'keyId'>,
  leaves: readonly ChainLeaf[],
): string {
  let text = `${previous}\n${number} ${at} ${keyId}\n`;
  for (const { runId, head, link } of leaves) text += `${runId} ${head} ${link}\n`;
  return sha256(text);
}

/** The order in which leaves are signed. */
export function inLeafOrder(leaves: Iterable<ChainLeaf>): readonly ChainLeaf[] {
  return [...leaves].sort((a, b) => (a.runId < b.runId ? -1 : 1));
}

/** `leaves` must already be in leaf order. */
export function signCheckpoint(
  previous: Pick<SignedCheckpoint, 'number' | 'digest'> | undefined,
  at: number,
  leaves: readonly ChainLeaf[],
  key: SigningKey,
): SignedCheckpoint {
  const head = { number: (previous?.number ?? 0) + 1, at, keyId: key.keyId };
  const digest = checkpointDigest(previous?.digest ?? '', head, leaves);
  return { ...head, digest, signature: key.sign(digest) };
}
