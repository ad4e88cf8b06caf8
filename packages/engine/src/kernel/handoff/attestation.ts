import { type Attestation, digest, type Json, type JsonObject } from '@baton/protocol';
import { own } from '../graph/own.ts';
import { isEmpty, type Mapping } from './mapping.ts';

/**
 * The outputs of a child, under the names of the child's variables: those that the mapping names, or all
 * variables when there is no mapping. The digest is made of these, before they are renamed, so that every
 * host gets the same.
 */
export function handedOver(mapping: Mapping, childVariables: JsonObject): JsonObject {
  if (isEmpty(mapping)) return childVariables;
  const outputs: Record<string, Json> = {};
  for (const name of Object.values(mapping)) {
    const value = own(childVariables, name);
    if (value !== undefined) outputs[name] = value;
  }
  return outputs;
}

/** The SHA-256 digest of the canonical JSON (RFC 8785). It does not depend on the order of keys. */
export function attest(outputs: JsonObject): Attestation {
  return { checksum: digest(outputs), algorithm: 'sha256' };
}
