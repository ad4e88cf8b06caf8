import type { BundleProof } from '@baton/protocol';
import { sha256 } from '../audit/sha256.ts';
import type { PublicKey, SigningKey } from '../audit/signing-key.ts';

/**
 * The host that writes a bundle signs it as it is sent: every log with its masked values, every record of a
 * run and all memory. A reader who knows the key can verify that the bundle was not changed.
 */
interface ProofText {
  /**
   * Adds the record of a run without its events, as JSON. `log` is the link over the events as they are in
   * the bundle.
   */
  addRun(record: string, log: string): void;
  /** Adds a memory scope, as JSON. */
  addScope(scope: string): void;
  /** The text to sign. */
  text(): string;
}

/** A prefix that no other text signed with the same key has. */
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

/** The id of the trusted key that signed the bundle, or `undefined`. */
export function whoSigned(
  proof: ProofText,
  given: BundleProof | undefined,
  trusted: readonly PublicKey[],
): string | undefined {
  const key = trusted.find(({ keyId }) => keyId === given?.keyId);
  return key && given && key.verifies(proof.text(), given.signature) ? key.keyId : undefined;
}
