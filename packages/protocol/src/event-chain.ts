import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/**
 * The hash chain over a log. Each event's link is the digest of the link before it and the event's stored
 * text, so that no event can be changed, left out or moved without changing every link after it.
 */

/** The link before the first event of a log. A fork begins with the link of its source at the cut instead. */
export const FIRST_LINK = '';

/** Lowercase hex SHA-256 of the UTF-8 bytes of a text. */
export type Sha256 = (text: string) => string;

export const sha256Hex: Sha256 = (text) => bytesToHex(sha256(utf8ToBytes(text)));

/**
 * The link after these events. Hosts pass the digest of their platform, because it is several times as fast.
 */
export function extendChain(link: string, texts: readonly string[], digest: Sha256 = sha256Hex): string {
  let last = link;
  for (const text of texts) last = digest(last + text);
  return last;
}
