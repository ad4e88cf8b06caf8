import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { sha256 } from './sha256.ts';

/** The Ed25519 key that signs checkpoints, erasures and bundles, and its public half, which verifies them. */

export interface PublicKey {
  readonly keyId: string;
  readonly pem: string;
  /** The same key in DER, as base64. */
  readonly spki: string;
  verifies(signed: string | Uint8Array, signature: string): boolean;
}

export interface SigningKey extends PublicKey {
  /** Base64. */
  sign(data: string | Uint8Array): string;
}

/** A new private key as PKCS #8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** `where` names the source of the key in error messages. */
export function signingKey(pem: string, where: string): SigningKey {
  const key = keyFrom(() => createPrivateKey(pem), where);
  return {
    ...publicHalf(createPublicKey(key)),
    sign: (data) => sign(null, Buffer.from(data), key).toString('base64'),
  };
}

/** Accepts a public or a private key, so that a user with the private key need not extract the public one. */
export function publicKey(pem: string, where: string): PublicKey {
  return publicHalf(keyFrom(() => createPublicKey(pem), where));
}

function keyFrom(read: () => KeyObject, where: string): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error is thrown below, and does not repeat the contents of the file.
  }
  throw new Error(
    `${where} does not hold an Ed25519 key as PEM; make one with: openssl genpkey -algorithm ed25519`,
  );
}

function publicHalf(key: KeyObject): PublicKey {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString();
  return {
    keyId: sha256(pem).slice(0, 16),
    pem,
    spki: key.export({ type: 'spki', format: 'der' }).toString('base64'),
    verifies: (signed, signature) => verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64')),
  };
}
