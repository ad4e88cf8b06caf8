import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';

/**
 * Whether OpenAI's strict mode takes a schema: every object names all its properties as required and allows no
 * others, and there are no keywords outside of the subset. OpenAI refuses a request with another schema.
 */

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  '$ref',
  '$defs',
  'title',
  'description',
]);
const MAX_DEPTH = 5;
const MAX_PROPERTIES = 100;

export function fitsStrictMode(schema: Json): boolean {
  const left = { properties: MAX_PROPERTIES };
  return isJsonObject(schema) && schema.type === 'object' && fits(schema, 1, left);
}

function fits(schema: Json, depth: number, left: { properties: number }): boolean {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return false;
  if (!Object.keys(schema).every((keyword) => KEYWORDS.has(keyword))) return false;
  const parts = [...valuesOf(schema.$defs), ...listOf(schema.anyOf), ...valuesOf(schema.properties)];
  if (schema.items !== undefined) parts.push(schema.items);
  if (isObjectSchema(schema)) {
    const names = Object.keys(isJsonObject(schema.properties) ? schema.properties : {});
    const required = listOf(schema.required);
    left.properties -= names.length;
    if (schema.additionalProperties !== false || left.properties < 0) return false;
    if (!names.every((name) => required.includes(name))) return false;
  }
  return parts.every((part) => fits(part, depth + 1, left));
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return properties !== undefined || type === 'object' || listOf(type).includes('object');
}

function valuesOf(value: Json | undefined): Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
