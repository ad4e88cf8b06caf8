import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ClientTls } from '@baton/agents';
import type { PeerTls } from '@baton/engine/ports';
import { requireOwnerOnly } from '../secrets/owner-only.ts';

/** Reads certificates and their private keys from PEM files. Errors name the file and never repeat its content. */

/** A certificate and its private key. */
export interface CertificateFiles {
  readonly file: string;
  readonly keyFile: string;
}

export function readCertificate({ file, keyFile }: CertificateFiles) {
  const chain = contentOf(file);
  const [certificate] = certificatesIn(chain, file);
  const key = contentOf(keyFile);
  requireOwnerOnly(keyFile);
  if (certificate?.checkPrivateKey(privateKeyIn(key, keyFile)) === true)
    return {
      /** The certificate, and those of the authorities below the root that follow it in the file. */
      chain,
      key,
    };
  throw new Error(`${keyFile} is not the private key of the certificate in ${file}`);
}

export function readClientTls({ certificate, caFile }: PeerTls): ClientTls {
  return {
    ...(certificate && { certificate: readCertificate(certificate) }),
    ...(caFile !== undefined && { ca: authoritiesIn(caFile) }),
  };
}

/** The SHA-256 fingerprints of all certificates in a file, such as `AB:CD:…`. */
export function fingerprintsIn(file: string): readonly string[] {
  const prints = certificatesIn(contentOf(file), file).map(({ fingerprint256 }) => fingerprint256);
  return [...new Set(prints)];
}

function authoritiesIn(file: string): string {
  const text = contentOf(file);
  certificatesIn(text, file);
  return text;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(text: string, file: string): readonly X509Certificate[] {
  const found = text.match(CERTIFICATE) ?? [];
  try {
    if (found.length > 0) return found.map((pem) => new X509Certificate(pem));
  } catch {
    // The same as a file without a certificate.
  }
  throw new Error(`${file} does not hold a certificate as PEM`);
}

function privateKeyIn(text: string, file: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error(`${file} does not hold a private key as PEM without a password`);
  }
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`${file} cannot be read`);
  }
}
