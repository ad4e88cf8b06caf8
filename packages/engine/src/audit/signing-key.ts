import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { sha256 } from './sha256.ts';

/** The Ed25519 key that signs checkpoints and erasures, and its public half, which proves them. */

export interface PublicKey {
  readonly keyId: string;
  readonly pem: string;
  verifies(text: string, signature: string): boolean;
}

export interface SigningKey extends PublicKey {
  /** Base64. */
  sign(text: string): string;
}

/** A new private key as PKCS #8 PEM. */
export function newSigningKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** `where` is for messages. */
export function signingKey(pem: string, where: string): SigningKey {
  const key = keyFrom(() => createPrivateKey(pem), where);
  return {
    ...publicHalf(createPublicKey(key)),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

/** From either half, so that whoever has the private key need not extract the other. */
export function publicKey(pem: string, where: string): PublicKey {
  return publicHalf(keyFrom(() => createPublicKey(pem), where));
}

function keyFrom(read: () => KeyObject, where: string): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Told below, without what the file holds.
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
    verifies: (text, signature) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64')),
  };
}
