import { type Attestation, digest, type Json, type JsonObject } from '@baton/protocol';
import { own } from '../graph/own.ts';
import { isEmpty, type Mapping } from './mapping.ts';

/**
 * What a child hands over, under the child's own names: the values that the mapping asks for, or all of its
 * variables when there is no mapping. Taken before anything is mapped, so that every host gets the same.
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

/** RFC 8785 and SHA-256: the same digest for the same values, whatever the order of their keys. */
export function attest(outputs: JsonObject): Attestation {
  return { checksum: digest(outputs), algorithm: 'sha256' };
}
