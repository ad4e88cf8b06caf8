import { isJsonObject, type Json, type JsonObject } from '@baton/protocol';

/** References may form cycles, and every cycle may branch. Parts that are too deep or too many are null. */
const MAX_DEPTH = 32;
const MAX_PARTS = 10_000;

/** The whole schema, and how many parts may still be made. */
interface Whole {
  readonly schema: Json;
  left: number;
}

/** A small value that fits most schemas, always the same for the same schema. */
export function minimalInstance(schema: Json): Json {
  return instance(schema, { schema, left: MAX_PARTS }, 0);
}

function instance(schema: Json, root: Whole, depth: number): Json {
  root.left -= 1;
  if (!isJsonObject(schema) || depth > MAX_DEPTH || root.left < 0) return null;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (typeof schema.$ref === 'string') return instance(referred(schema.$ref, root), root, depth + 1);
  const choice = [schema.anyOf, schema.oneOf].find((one) => Array.isArray(one) && one.length > 0);
  if (Array.isArray(choice)) return instance(choice[0], root, depth + 1);
  if (Array.isArray(schema.allOf)) {
    return instance(merged([withoutAllOf(schema), ...schema.allOf]), root, depth + 1);
  }
  return ofType(schema, root, depth);
}

function ofType(schema: JsonObject, root: Whole, depth: number): Json {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type ?? impliedType(schema)) {
    case 'object':
      return objectOf(schema, root, depth);
    case 'array':
      return Array.from({ length: count(schema.minItems) }, (_, at) => itemOf(schema, at, root, depth));
    case 'string':
      return stringOf(schema);
    case 'number':
    case 'integer':
      return numberOf(schema);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function impliedType(schema: JsonObject): string {
  if ('items' in schema || 'minItems' in schema) return 'array';
  return 'minLength' in schema || 'pattern' in schema ? 'string' : 'object';
}

function objectOf(schema: JsonObject, root: Whole, depth: number): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    required
      .filter((name) => typeof name === 'string')
      .map((name) => [name, instance(own(properties, name) ?? {}, root, depth + 1)]),
  );
}

function itemOf(schema: JsonObject, at: number, root: Whole, depth: number): Json {
  const prefix = Array.isArray(schema.prefixItems) ? schema.prefixItems[at] : undefined;
  return instance(prefix ?? schema.items ?? {}, root, depth + 1);
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  email: 'mock@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

function stringOf(schema: JsonObject): string {
  const formatted = typeof schema.format === 'string' ? own(BY_FORMAT, schema.format) : undefined;
  if (formatted !== undefined) return formatted;
  const longest = typeof schema.maxLength === 'number' ? schema.maxLength : Number.POSITIVE_INFINITY;
  return 'mock'.padEnd(count(schema.minLength), '.').slice(0, longest);
}

function numberOf(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf } = schema;
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1;
  if (typeof minimum === 'number' && minimum > 0) return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 0) {
    return (Math.floor(exclusiveMinimum / step) + 1) * step;
  }
  if (typeof maximum === 'number' && maximum < 0) return Math.floor(maximum / step) * step;
  if (typeof exclusiveMaximum === 'number' && exclusiveMaximum <= 0) {
    return (Math.ceil(exclusiveMaximum / step) - 1) * step;
  }
  return 0;
}

const MOST = 1000;

function count(value: Json | undefined): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), MOST) : 0;
}

/** Only references into the schema itself are followed. */
function referred(reference: string, root: Whole): Json {
  let at: Json = root.schema;
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) ? (own(at, name) ?? null) : null;
  }
  return at;
}

function merged(parts: readonly Json[]): JsonObject {
  const whole: Record<string, Json> = {};
  for (const part of parts.filter(isJsonObject)) {
    const properties = { ...(whole.properties as JsonObject), ...(part.properties as JsonObject) };
    const required = [whole.required, part.required].flatMap((names) => (Array.isArray(names) ? names : []));
    Object.assign(whole, part, { properties, required });
  }
  return whole;
}

function withoutAllOf({ allOf: _parts, ...rest }: JsonObject): JsonObject {
  return rest;
}

function own<T>(of: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}
