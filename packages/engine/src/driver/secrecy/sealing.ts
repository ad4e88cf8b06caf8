import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import type { Json } from '@baton/protocol';
import { labelOf, partsOf, tokenOf } from '../../kernel/secrecy/sealed.ts';

/**
 * AES-256-GCM. The nonce is derived from name and value, so the same value always gives the same token, and a
 * replay writes the same bytes. Each tenant has separate keys, so no tenant can open a token of another.
 */
export interface Sealer {
  seal(tenant: string, name: string, value: Json): string;
  /** `undefined` when this host did not seal the token for this tenant. */
  unseal(tenant: string, token: string): Json | undefined;
}

export const SEALING_KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface Keys {
  readonly nonce: Buffer;
  readonly cipher: Buffer;
}

export function sealerOf(key: Uint8Array): Sealer {
  if (key.length !== SEALING_KEY_BYTES) throw new Error(`a sealing key has ${SEALING_KEY_BYTES} bytes`);
  const known = new Map<string, Keys>();

  function keysOf(tenant: string): Keys {
    const found = known.get(tenant);
    if (found) return found;
    const derive = (use: string) =>
      Buffer.from(hkdfSync('sha256', key, '', `baton ${use} ${tenant}`, SEALING_KEY_BYTES));
    const keys = { nonce: derive('nonce'), cipher: derive('cipher') };
    known.set(tenant, keys);
    return keys;
  }

  return {
    seal(tenant, name, value) {
      const keys = keysOf(tenant);
      const label = labelOf(name);
      const text = JSON.stringify(value);
      const nonce = createHmac('sha256', keys.nonce)
        .update(`${label}:${text}`)
        .digest()
        .subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, keys.cipher, nonce).setAAD(Buffer.from(label));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return tokenOf(name, sealed.toString('base64url'));
    },
    unseal(tenant, token) {
      const { label, letters } = partsOf(token);
      const sealed = Buffer.from(letters, 'base64url');
      if (sealed.length <= NONCE_BYTES + TAG_BYTES) return undefined;
      const end = sealed.length - TAG_BYTES;
      const decipher = createDecipheriv(CIPHER, keysOf(tenant).cipher, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(label))
        .setAuthTag(sealed.subarray(end));
      try {
        const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
        return JSON.parse(text.toString('utf8')) as Json;
      } catch {
        // The token was forged, or sealed with another key.
        return undefined;
      }
    },
  };
}
