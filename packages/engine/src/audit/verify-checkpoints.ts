import type { FindingKind } from '@baton/protocol';
import type { StoredCheckpoint } from '../ports/audit.ts';
import { checkCheckpoint } from './checkpoint.ts';
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

const BEFORE_ALL_CHECKPOINTS: CheckpointStart = { number: 0, digest: '' };

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

  function checkNumber(number: number): void {
    if (number === last + 1) return;
    missingBefore(number);
    previous = undefined;
  }

  return {
    add(checkpoint) {
      const { number, keyId } = checkpoint;
      checkNumber(number);
      const { signature, lost, changed, digest } = checkCheckpoint(previous, checkpoint, key);
      foreign = signature === 'foreign' ? { number, keyId } : undefined;
      if (signature === 'invalid') found('signature-invalid', number, 'has an invalid signature');
      if (lost > 0) found('checkpoint-changed', number, `has lost its entries for ${lost} runs`);
      else if (changed) found('checkpoint-changed', number, 'was changed after it was written');
      previous = digest;
      last = number;
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
