import type { FindingKind } from '@baton/protocol';
import type { ChainLeaf, StoredCheckpoint } from '../ports/audit.ts';
import { checkpointDigest } from './checkpoint.ts';
import type { Finding } from './finding.ts';
import type { PublicKey } from './signing-key.ts';

/**
 * Holds signed checkpoints against themselves: their numbers, the digests that bind each to the one before,
 * and their signatures. A checkpoint by a key that is not at hand is believed when a later one that is bound
 * to it has a good signature.
 */
export interface CheckpointVerifier {
  add(checkpoint: StoredCheckpoint): void;
  /** When there are more of them to come. */
  pause(): readonly Finding[];
  /** When there are no more: `written` is the number of the last one that the host says it wrote. */
  finish(written: number): readonly Finding[];
}

/** The checkpoint before the first one to be added. */
export interface CheckpointStart {
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
  /** What the next digest begins with; unknown after a gap. */
  let previous = start.digest;
  let foreign: { readonly number: number; readonly keyId: string } | undefined;

  function found(what: FindingKind, checkpoint: number, how: string): void {
    findings.push({ what, checkpoint, message: `checkpoint ${checkpoint} ${how}` });
  }

  function missingBefore(number: number): void {
    for (let gone = last + 1; gone < number && gone <= last + MISSING_TOLD; gone += 1) {
      found('checkpoint-missing', gone, 'is not there');
    }
  }

  function checkNumber({ number }: StoredCheckpoint): void {
    if (number === last + 1) return;
    missingBefore(number);
    previous = undefined;
  }

  /** The digest that is to be believed: the recomputed one, unless the stored one is signed. */
  function checkDigest(checkpoint: StoredCheckpoint, signed: boolean): string {
    const leaves = checkpoint.leaves.filter((leaf): leaf is ChainLeaf => leaf !== undefined);
    const gone = checkpoint.leaves.length - leaves.length;
    const computed = previous === undefined ? undefined : checkpointDigest(previous, checkpoint, leaves);
    if (gone > 0) found('checkpoint-changed', checkpoint.number, `has lost what it says about ${gone} runs`);
    else if (computed !== undefined && computed !== checkpoint.digest) {
      found('checkpoint-changed', checkpoint.number, 'is not what it was when it was written');
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
    found('signature-invalid', number, 'has a signature that its key did not make');
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
        found('key-unknown', foreign.number, `is signed with a key that is not at hand (${foreign.keyId})`);
      }
      return findings;
    },
  };
}

/** Of a long gap the beginning is told. */
const MISSING_TOLD = 10;
