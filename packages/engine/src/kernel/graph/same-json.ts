import { canonicalJson, type Json } from '@baton/protocol';

/** Compares values. The order of members does not matter. */
export function sameJson(a: Json | undefined, b: Json): boolean {
  if (a === undefined || a === b) return a === b;
  return typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b);
}
