import formatsModule from 'ajv-formats/dist/formats.js';
import type { Json, JsonObject } from '../json.ts';
import { charge, type Meter, stepsForText } from '../meter.ts';
import { equalWithin } from '../metered-json.ts';
import type { Checking, Outcome, Rule } from './checking.ts';

/** Rules about types, numbers and text, and the rules `const` and `enum`. */

export const TYPE_RULES: Readonly<Record<string, Rule>> = {
  type: (_checking, schema, value, at) => {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    if (schema.nullable === true && value === null) return undefined;
    if (types.some((type) => isOfType(value, type as Json))) return undefined;
    const [only] = types;
    return {
      at,
      problem: types.length === 1 ? `must be ${withArticle(String(only))}` : `must be ${types.join()}`,
    };
  },
};

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function isOfType(value: Json, type: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

type Compare = (value: number, limit: number) => boolean;

function numberRule(keyword: string, fits: Compare, words: string): Rule {
  return (_checking, schema, value, at) => {
    const limit = schema[keyword];
    if (typeof value !== 'number' || typeof limit !== 'number' || fits(value, limit)) return undefined;
    return { at, problem: `must be ${words} ${limit}` };
  };
}

export const NUMBER_RULES: Readonly<Record<string, Rule>> = {
  maximum: numberRule('maximum', (value, limit) => value <= limit, '<='),
  minimum: numberRule('minimum', (value, limit) => value >= limit, '>='),
  exclusiveMaximum: numberRule('exclusiveMaximum', (value, limit) => value < limit, '<'),
  exclusiveMinimum: numberRule('exclusiveMinimum', (value, limit) => value > limit, '>'),
  multipleOf: numberRule('multipleOf', (value, step) => Number.isInteger(value / step), 'multiple of'),
};

function lengthRule(keyword: string, fits: Compare, words: string): Rule {
  return ({ meter }, schema, value, at) => {
    const limit = schema[keyword];
    if (typeof value !== 'string' || typeof limit !== 'number') return undefined;
    charge(meter, value.length >>> 2);
    if (fits(codePoints(value), limit)) return undefined;
    return { at, problem: `must NOT have ${words} than ${limit} characters` };
  };
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at += 1) {
    if (
      isBetween(text.charCodeAt(at), 0xdc00, 0xdfff) &&
      isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff)
    ) {
      pairs += 1;
    }
  }
  return text.length - pairs;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}

export const TEXT_RULES: Readonly<Record<string, Rule>> = {
  maxLength: lengthRule('maxLength', (length, limit) => length <= limit, 'more'),
  minLength: lengthRule('minLength', (length, limit) => length >= limit, 'fewer'),
  pattern: ({ meter, prepared }, schema, value, at) => {
    if (typeof value !== 'string' || typeof schema.pattern !== 'string') return undefined;
    if (prepared.patterns.get(schema.pattern)?.matches(value, meter) === true) return undefined;
    return { at, problem: `must match pattern "${schema.pattern}"` };
  },
  format: ({ meter }, schema, value, at) => {
    if (typeof schema.format !== 'string' || fitsFormat(schema.format, value, meter)) return undefined;
    return { at, problem: `must match format "${schema.format}"` };
  },
};

export const VALUE_RULES: Readonly<Record<string, Rule>> = {
  const: ({ meter }, schema, value, at) =>
    equalWithin(schema.const, value, meter) ? undefined : { at, problem: 'must be equal to constant' },
  enum: (checking, schema, value, at) => oneOfValues(checking, schema, value, at),
};

function oneOfValues({ meter }: Checking, schema: JsonObject, value: Json, at: string): Outcome {
  const allowed = Array.isArray(schema.enum) ? schema.enum : [];
  if (allowed.some((one) => equalWithin(one as Json, value, meter))) return undefined;
  const shown = allowed
    .slice(0, MOST_SHOWN)
    .map((one) => (typeof one === 'object' ? JSON.stringify(one) : one));
  charge(meter, stepsForText(String(shown).length));
  const more = allowed.length > MOST_SHOWN ? ' and others' : '';
  return { at, problem: `must be one of ${shown.join(', ')}${more}` };
}

const MOST_SHOWN = 20;

/**
 * Formats of text and numbers. Their patterns backtrack, so text longer than `LONGEST` is refused untested.
 */

type Test = RegExp | ((text: never) => boolean) | true;
type Format = Test | { readonly type?: 'number' | 'string'; readonly validate: Test };

const FORMATS = formatsModule.fullFormats as unknown as Readonly<Record<string, Format>>;

/**
 * Longer than any address or date. The formats in `UNBOUNDED` may be longer, because their test is linear.
 */
const LONGEST = 1024;
const UNBOUNDED: readonly string[] = ['byte', 'binary', 'password'];

/** A format with an unknown name accepts every value. */
function fitsFormat(name: string, value: Json, meter: Meter): boolean {
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined || format === true) return true;
  const { type, validate } =
    typeof format === 'object' && 'validate' in format
      ? { type: format.type ?? 'string', validate: format.validate }
      : { type: 'string', validate: format };
  if (typeof value !== type || validate === true) return true;
  if (typeof value === 'string') {
    if (value.length > LONGEST && !UNBOUNDED.includes(name)) return false;
    charge(meter, stepsForFormat(name, value.length));
  }
  return validate instanceof RegExp ? validate.test(String(value)) : validate(value as never);
}

function stepsForFormat(name: string, length: number): number {
  return UNBOUNDED.includes(name) ? length : 1 + ((length * length) >>> 4);
}
