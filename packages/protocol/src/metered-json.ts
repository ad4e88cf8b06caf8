import type { Json } from './json.ts';
import { charge, type Meter, stepsForMembers, stepsForText } from './meter.ts';

/** Functions over JSON values that charge a meter before each piece of work. */

/** Compares two values; the order of members does not matter. Stops at the first difference. */
export function equalWithin(a: unknown, b: unknown, meter: Meter): boolean {
  charge(meter, 1);
  if (typeof a === 'string' && typeof b === 'string') {
    if (a.length !== b.length) return false;
    charge(meter, stepsForText(a.length));
    return a === b;
  }
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return looselyEqual(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => equalWithin(item, b[at], meter));
  }
  return equalMembers(a as Members, b as Members, meter);
}

type Members = Readonly<Record<string, unknown>>;

function equalMembers(a: Members, b: Members, meter: Meter): boolean {
  const names = Object.keys(a);
  const others = Object.keys(b).length;
  charge(meter, stepsForMembers(names.length) + stepsForMembers(others));
  return (
    names.length === others &&
    names.every((name) => Object.hasOwn(b, name) && equalWithin(a[name], b[name], meter))
  );
}

/** Expressions use number and BigInt; in JSON both are the same number. */
function looselyEqual(a: unknown, b: unknown): boolean {
  const mixed =
    (typeof a === 'bigint' && typeof b === 'number') || (typeof a === 'number' && typeof b === 'bigint');
  // biome-ignore lint/suspicious/noDoubleEquals: a BigInt never strictly equals a number.
  return mixed && a == b;
}

/** Equal values have the same text; the order of members does not matter. */
export function textWithin(value: Json, meter: Meter): string {
  if (typeof value !== 'object' || value === null) {
    const text = JSON.stringify(value);
    charge(meter, 4 + (text.length >>> 2));
    return text;
  }
  charge(meter, STEPS_FOR_CONTAINER);
  if (Array.isArray(value)) return `[${value.map((item) => textWithin(item as Json, meter)).join()}]`;
  const names = Object.keys(value).sort();
  charge(meter, 2 * stepsForMembers(names.length));
  const members = value as Readonly<Record<string, Json>>;
  return `{${names.map((name) => `${JSON.stringify(name)}:${textWithin(members[name] as Json, meter)}`).join()}}`;
}

const STEPS_FOR_CONTAINER = 16;

/** About how many characters the value takes as JSON text. */
export function sizeOfJson(value: Json | undefined): number {
  switch (typeof value) {
    case 'string':
      return value.length + 2;
    case 'object':
      break;
    case 'undefined':
      return 0;
    default:
      return 8;
  }
  if (value === null) return 4;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += 1 + sizeOfJson(item);
    return size;
  }
  for (const name in value as Readonly<Record<string, Json>>) {
    size += name.length + 4 + sizeOfJson((value as Readonly<Record<string, Json>>)[name]);
  }
  return size;
}
