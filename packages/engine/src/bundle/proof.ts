import type { BundleProof } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import type { PublicKey, SigningKey } from '../audit/signing-key.ts';

/**
 * A bundle is signed by the host that writes it, as it stands: every log with what was masked in it, every record of a
 * run and all memory. Whoever knows the key can tell that nothing was changed on the way.
 */
export interface ProofText {
  /** The record of a run without its events, as JSON; `log` is the link over those, as they stand in the bundle. */
  addRun(record: string, log: string): void;
  /** A memory scope, as JSON. */
  addScope(scope: string): void;
  /** What is signed. */
  text(): string;
}

/** What nothing else that is signed with the same key begins with. */
const ABOUT = 'baton bundle 1';

export function proofText(mainId: string): ProofText {
  let link = sha256(`${ABOUT}\n${mainId}`);
  return {
    addRun(record, log) {
      link = sha256(`${link}\nrun ${log} ${record}`);
    },
    addScope(scope) {
      link = sha256(`${link}\nscope ${scope}`);
    },
    text: () => `${ABOUT}\n${link}`,
  };
}

export function signProof(proof: ProofText, key: SigningKey): BundleProof {
  return { keyId: key.keyId, signature: key.sign(proof.text()) };
}

/** The known key that signed it, or nothing. */
export function whoSigned(
  proof: ProofText,
  given: BundleProof | undefined,
  known: readonly PublicKey[],
): string | undefined {
  const key = known.find(({ keyId }) => keyId === given?.keyId);
  return key && given && key.verifies(proof.text(), given.signature) ? key.keyId : undefined;
}
