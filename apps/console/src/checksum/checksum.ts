import type { Json } from '@baton/client';
import { canonicalJson, digest } from '@baton/protocol/canonical';

/**
 * The checksum of values, computed in the browser: SHA-256 of their canonical JSON (RFC 8785), in lowercase hex, as the
 * host records it at a merge gate. Pages load this file only when somebody asks for a verification.
 */
export function checksumOf(value: Json): string {
  return digest(value);
}

/** Whether two values are the same JSON. The order of members does not count. */
export function isSameJson(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return canonicalJson(one) === canonicalJson(other);
}
