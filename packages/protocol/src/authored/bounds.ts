import { isJsonObject, type Json } from '../json.ts';

/** Limits on the size of a schema, so that it can be read quickly each time. */

export const MAX_SCHEMA_PARTS = 5000;
export const MAX_SCHEMA_CHARACTERS = 128 * 1024;

/** The limit that the schema exceeds, as a message, or undefined. */
export function tooLarge(schema: Json): string | undefined {
  const left = { parts: MAX_SCHEMA_PARTS, characters: MAX_SCHEMA_CHARACTERS };
  measure(schema, left);
  if (left.parts < 0) return `the schema has more than ${MAX_SCHEMA_PARTS} parts`;
  if (left.characters < 0) return `the schema has more than ${MAX_SCHEMA_CHARACTERS} characters`;
  return undefined;
}

function measure(value: Json, left: { parts: number; characters: number }): void {
  left.parts -= 1;
  if (typeof value === 'string') left.characters -= value.length;
  if (left.parts < 0 || left.characters < 0) return;
  if (Array.isArray(value)) {
    for (const item of value) measure(item, left);
  } else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      left.characters -= name.length;
      measure(member, left);
    }
  }
}
