import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';
import type { Json } from './json.ts';
import { wellFormed } from './well-formed.ts';

/**
 * RFC 8785: every host writes the same text for the same value. Old logs may hold lone surrogates; these
 * count as U+FFFD, which is recorded for them today.
 */
export function canonicalJson(value: Json): string {
  const text = canonicalize(wellFormed(value));
  if (text === undefined) throw new TypeError('value has no canonical JSON form');
  return text;
}

/** Lowercase hex SHA-256 of the canonical form. */
export function digest(value: Json): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}
