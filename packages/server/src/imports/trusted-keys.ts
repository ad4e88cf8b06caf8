import { readFileSync } from 'node:fs';
import { publicKey } from '@baton/engine';

/**
 * The public audit keys of other hosts that the operator trusts. The file holds them as PEM, one after the
 * other.
 */
export function readTrustedKeys(file: string | undefined): readonly string[] {
  if (file === undefined) return [];
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`the trusted audit keys ${file} cannot be read`, { cause });
  }
  const keys = text.match(/-----BEGIN [^-]+-----[^-]+-----END [^-]+-----/g) ?? [];
  if (keys.length === 0)
    throw new Error(`${file} holds no public key as PEM; use the answer of GET /v1/audit/key`);
  return keys.map((pem) => publicKey(pem, file).pem);
}
