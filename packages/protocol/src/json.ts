/** JSON values, and the one place where a value from outside becomes one. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

const MAX_DEPTH = 64;

/**
 * A copy of `value` that means the same after it was stored as text and read back.
 * `-0` becomes `0`, `undefined` members vanish, BigInt becomes a number.
 * Throws a `TypeError` for what JSON cannot hold: infinities, keys that reach the prototype, endless nesting.
 */
export function toJson(value: unknown, depth = 0): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`value is nested more than ${MAX_DEPTH} levels deep`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('numbers must be finite');
      return value === 0 ? 0 : value;
    case 'bigint':
      return Number(value);
    case 'object':
      break;
    default:
      throw new TypeError(`a ${typeof value} is not a JSON value`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1));
  const source = plainObject(value);
  const out: Record<string, Json> = {};
  for (const key of Object.keys(source)) {
    if (key === '__proto__') throw new TypeError('the key "__proto__" is not allowed');
    const member = source[key];
    if (member !== undefined) out[key] = toJson(member, depth + 1);
  }
  return out;
}

function plainObject(value: object): Record<string, unknown> {
  if (value instanceof Map) return Object.fromEntries(value);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`a ${value.constructor?.name ?? 'foreign object'} is not a JSON value`);
  }
  return value as Record<string, unknown>;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
