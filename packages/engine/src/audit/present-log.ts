import type { CheckpointReads } from '../ports/reads/audit.ts';
import { checkCheckpoint } from './checkpoint.ts';
import type { PublicKey } from './signing-key.ts';

/** Where the present audit log is among the stored checkpoints. */
interface PresentLog {
  /** The entry with sequence 1 is the checkpoint with the number after this one. */
  readonly offset: number;
  /** The sequence of the last entry that was written, even if it was removed since. */
  readonly length: number;
  /** False when the newest checkpoint, from which the rest is derived, was changed or not signed with this key. */
  readonly newestAgrees: boolean;
}

export async function presentLog(reads: CheckpointReads, key: PublicKey): Promise<PresentLog> {
  // Read first, so that a checkpoint written in between is not reported as missing.
  const written = await reads.lastCheckpointNumber();
  const newest = await reads.newestCheckpoint();
  if (newest === undefined) return { offset: 0, length: written, newestAgrees: written === 0 };
  const { number, sequence } = newest;
  const offset = number - sequence;
  const length = Math.max(written, number) - offset;
  return { offset, length, newestAgrees: await agrees(reads, number, key) };
}

async function agrees(reads: CheckpointReads, number: number, key: PublicKey): Promise<boolean> {
  const previous = await storedDigest(reads, number - 1);
  const [stored] = await reads.checkpoints(number, 1);
  if (previous === undefined || stored === undefined) return false;
  const { signature, lost, changed } = checkCheckpoint(previous, stored, key);
  return signature === 'valid' && lost === 0 && !changed;
}

/** The digest of a checkpoint: empty before the first, and `undefined` when the checkpoint is missing. */
export async function storedDigest(reads: CheckpointReads, number: number): Promise<string | undefined> {
  if (number <= 0) return '';
  const [stored] = await reads.checkpoints(number, 1);
  return stored?.number === number ? stored.digest : undefined;
}
