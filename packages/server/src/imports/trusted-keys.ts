import { readFileSync } from 'node:fs';
import { publicKey } from '@baton/engine';

/** The audit keys of other hosts, which the operator believes: public halves as PEM, one after the other in a file. */
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
    throw new Error(`${file} holds no public key as PEM; write what GET /v1/audit/key gives`);
  return keys.map((pem) => publicKey(pem, file).pem);
}
