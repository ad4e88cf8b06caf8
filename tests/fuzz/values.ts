import type { Random } from '../durability/random.ts';
import type { Schema } from './operations.ts';

/** Values that fit a schema, and values that fit nothing. */

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random.below(from.length)];
  if (chosen === undefined) throw new Error('nothing to pick from');
  return chosen;
}

/** Names a value by where it stands, so that ids that exist can be put where ids are wanted. */
export type Known = (name: string) => unknown;

const DEEPEST = 6;

export function fitting(random: Random, schema: Schema, known: Known, name = '', depth = 0): unknown {
  const given = known(name);
  if (given !== undefined && random.chance(0.7)) return given;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(random, schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return fitting(random, pick(random, alternatives), known, name, depth + 1);
  const type = Array.isArray(schema.type) ? pick(random, schema.type as string[]) : schema.type;
  switch (type) {
    case 'string':
      return textFor(random, schema);
    case 'integer':
    case 'number':
      return (
        (schema.minimum ?? 0) + random.below(Math.min(20, (schema.maximum ?? 20) - (schema.minimum ?? 0) + 1))
      );
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 0, random.below(3)) }, () =>
        fitting(random, schema.items ?? {}, known, name, depth + 1),
      );
    default:
      return schema.properties === undefined && type !== 'object'
        ? anything(random, depth)
        : objectFor(random, schema, known, depth);
  }
}

function objectFor(random: Random, schema: Schema, known: Known, depth: number): unknown {
  const required = new Set(schema.required);
  const chosen = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || (depth < DEEPEST && random.chance(0.3)),
  );
  return Object.fromEntries(
    chosen.map(([name, member]) => [name, fitting(random, member, known, name, depth + 1)]),
  );
}

function textFor(random: Random, { format, minLength = 0 }: Schema): string {
  if (format === 'date-time') return new Date(1.7e12 + random.below(1e9)).toISOString();
  const text = pick(random, ['a', 'quick', 'n1', 'a-b_c', '1.0', 'x'.repeat(30)]);
  return text.padEnd(minLength, 'z');
}

function anything(random: Random, depth: number): unknown {
  const kinds = [() => 'text', () => 7, () => null, () => true, () => ({ action: 'accept' })];
  if (depth < DEEPEST) kinds.push(() => ({ a: anything(random, depth + 1) }) as never);
  return pick(random, kinds)();
}

export const STRANGE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '\ud83d',
  '\udc00x',
  'é\u0301',
  '👩‍👩‍👧',
  '\u202eabc',
  '..',
  '../../etc/passwd',
  '%2e%2e',
  '%00',
  "' OR 1=1 --",
  '$' + '{7*7}',
  '__proto__',
  'constructor',
  '[REDACTED]',
  'sealed:v1:x:AAAA',
  'sealed:v1:%zz:AABBab',
  '1e999',
  'NaN',
  '*',
  'x'.repeat(300),
  'y'.repeat(5000),
];

const STRANGE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1e15,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  1e300,
  -1e300,
  5e-324,
];

export function strange(random: Random): unknown {
  return pick<() => unknown>(random, [
    () => pick(random, STRANGE_TEXTS),
    () => pick(random, STRANGE_TEXTS),
    () => pick(random, STRANGE_NUMBERS),
    () => null,
    () => true,
    () => [],
    () => ({}),
    () => [[[[]]]],
    () => ({ [pick(random, STRANGE_TEXTS)]: pick(random, STRANGE_TEXTS) }),
    () => nested(50 + random.below(400)),
  ])();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
