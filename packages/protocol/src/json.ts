import { charge, type Meter, stepsForMembers, stepsForText } from './meter.ts';

/** JSON values, and the only functions that turn values from outside into JSON values. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

const MAX_DEPTH = 64;

/** Making an object or a list takes longer than copying a number. */
const STEPS_FOR_CONTAINER = 8;

/**
 * A copy of `value` that is the same after it was stored as text and read back. `-0` becomes `0`, members
 * that are `undefined` are left out, a BigInt becomes a number. Throws a `TypeError` for values that JSON
 * cannot hold: infinite numbers, the key `__proto__`, too deep nesting.
 */
export function toJson(value: unknown, within?: JsonBudget): Json {
  return convert(value, 0, within);
}

/** Limits the copy. Example: a list that contains the same object many times can be gigabytes as text. */
export interface JsonBudget {
  readonly meter: Meter;
  readonly maxCharacters: number;
  characters: number;
}

export class ValueTooLargeError extends TypeError {
  constructor({ maxCharacters }: JsonBudget) {
    super(`the value is larger than ${maxCharacters} characters`);
  }
}

function spend(within: JsonBudget, steps: number, characters: number): void {
  charge(within.meter, steps);
  within.characters += characters;
  if (within.characters > within.maxCharacters) throw new ValueTooLargeError(within);
}

function convert(value: unknown, depth: number, within: JsonBudget | undefined): Json {
  if (depth > MAX_DEPTH) throw new TypeError(`value is nested more than ${MAX_DEPTH} levels deep`);
  if (within) spend(within, 1, 1);
  switch (typeof value) {
    case 'string':
      if (within) spend(within, stepsForText(value.length), value.length);
      return value;
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
  if (within) spend(within, STEPS_FOR_CONTAINER, 1);
  if (Array.isArray(value)) return value.map((item) => convert(item, depth + 1, within));
  const source = plainObject(value);
  const out: Record<string, Json> = {};
  const keys = Object.keys(source);
  if (within) spend(within, stepsForMembers(keys.length), 0);
  for (const key of keys) {
    if (within) spend(within, stepsForText(key.length), key.length);
    if (key === '__proto__') throw new TypeError('the key "__proto__" is not allowed');
    const member = source[key];
    if (member !== undefined) out[key] = convert(member, depth + 1, within);
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

/**
 * The same rule for a value that `JSON.parse` has just made. The value is changed in place, not copied.
 * Copying a body of a hundred thousand values would delay every other request by tens of milliseconds.
 */
export function storableJson(parsed: unknown): Json {
  return settle(parsed as Json, 0);
}

function settle(value: Json, depth: number): Json {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('numbers must be finite');
    return value === 0 ? 0 : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw new TypeError(`value is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) settleItems(value as Json[], depth + 1);
  else settleMembers(value as Record<string, Json>, depth + 1);
  return value;
}

function settleItems(items: Json[], depth: number): void {
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at] as Json;
    const settled = settle(item, depth);
    if (!Object.is(settled, item)) items[at] = settled;
  }
}

function settleMembers(members: Record<string, Json>, depth: number): void {
  if (Object.hasOwn(members, '__proto__')) throw new TypeError('the key "__proto__" is not allowed');
  // Objects from JSON.parse inherit no enumerable members, so `for in` lists only their own.
  for (const name in members) {
    const member = members[name] as Json;
    const settled = settle(member, depth);
    if (!Object.is(settled, member)) members[name] = settled;
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
