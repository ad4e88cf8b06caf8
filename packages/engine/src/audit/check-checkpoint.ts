import type { ChainLeaf, StoredCheckpoint } from '../ports/audit.ts';
import { checkpointDigest, signedPart } from './checkpoint-digest.ts';
import type { PublicKey } from './signing-key.ts';

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
  const signed = signedPart(checkpoint);
  return signed !== undefined && key.verifies(signed, checkpoint.signature) ? 'valid' : 'invalid';
}
