import type { FindingKind } from '@baton/protocol';
import type { ChainLeaf, StoredCheckpoint } from '../ports/audit.ts';
import { checkpointDigest } from './checkpoint.ts';
import type { Finding } from './finding.ts';
import type { PublicKey } from './signing-key.ts';

/**
 * Checks signed checkpoints: their numbers, the digests that bind each to the one before, and their
 * signatures. A checkpoint that was signed with another key is accepted when a later checkpoint, which is
 * bound to it, has a valid signature.
 */
interface CheckpointVerifier {
  add(checkpoint: StoredCheckpoint): void;
  /** Returns the findings so far, when more checkpoints will be checked later. */
  pause(): readonly Finding[];
  /** Call this after the last checkpoint. `written` is the number of the last one that the host wrote. */
  finish(written: number): readonly Finding[];
}

/** The checkpoint before the first one to be added. */
interface CheckpointStart {
  readonly number: number;
  readonly digest: string | undefined;
}

export const BEFORE_ALL_CHECKPOINTS: CheckpointStart = { number: 0, digest: '' };

/** Without a key only numbers and digests are checked. */
export function verifyCheckpoints(
  key: PublicKey | undefined,
  start: CheckpointStart = BEFORE_ALL_CHECKPOINTS,
): CheckpointVerifier {
  const findings: Finding[] = [];
  let last = start.number;
  /** The digest of the previous checkpoint; unknown after a gap. */
  let previous = start.digest;
  let foreign: { readonly number: number; readonly keyId: string } | undefined;

  function found(what: FindingKind, checkpoint: number, how: string): void {
    findings.push({ what, checkpoint, message: `checkpoint ${checkpoint} ${how}` });
  }

  function missingBefore(number: number): void {
    for (let gone = last + 1; gone < number && gone <= last + MISSING_TOLD; gone += 1) {
      found('checkpoint-missing', gone, 'is missing');
    }
  }

  function checkNumber({ number }: StoredCheckpoint): void {
    if (number === last + 1) return;
    missingBefore(number);
    previous = undefined;
  }

  /** The digest to go on with: the stored one when its signature is valid, otherwise the recomputed one. */
  function checkDigest(checkpoint: StoredCheckpoint, signed: boolean): string {
    const leaves = checkpoint.leaves.filter((leaf): leaf is ChainLeaf => leaf !== undefined);
    const gone = checkpoint.leaves.length - leaves.length;
    const computed = previous === undefined ? undefined : checkpointDigest(previous, checkpoint, leaves);
    if (gone > 0) found('checkpoint-changed', checkpoint.number, `has lost its entries for ${gone} runs`);
    else if (computed !== undefined && computed !== checkpoint.digest) {
      found('checkpoint-changed', checkpoint.number, 'was changed after it was written');
    }
    return signed ? checkpoint.digest : (computed ?? checkpoint.digest);
  }

  function isSigned({ number, digest, keyId, signature }: StoredCheckpoint): boolean {
    if (key === undefined) return false;
    if (key.keyId !== keyId) {
      foreign = { number, keyId };
      return false;
    }
    foreign = undefined;
    if (key.verifies(digest, signature)) return true;
    found('signature-invalid', number, 'has an invalid signature');
    return false;
  }

  return {
    add(checkpoint) {
      checkNumber(checkpoint);
      previous = checkDigest(checkpoint, isSigned(checkpoint));
      last = checkpoint.number;
    },
    pause: () => findings,
    finish(written) {
      missingBefore(written + 1);
      if (foreign) {
        found('key-unknown', foreign.number, `is signed with an unknown key (${foreign.keyId})`);
      }
      return findings;
    },
  };
}

/** Only the first missing checkpoints of a long gap are listed. */
const MISSING_TOLD = 10;
