import type { Json } from '../json.ts';
import { charge } from '../meter.ts';
import { textWithin } from '../metered-json.ts';
import { below, type Checking, check, noneSeen, type Outcome, type Rule, type Seen } from './checking.ts';

/** Rules about lists. */
export const ARRAY_RULES: Readonly<Record<string, Rule>> = {
  maxItems: countRule('maxItems', (count, limit) => count <= limit, 'more'),
  minItems: countRule('minItems', (count, limit) => count >= limit, 'fewer'),
  uniqueItems: (checking, schema, value, at) =>
    schema.uniqueItems === true && Array.isArray(value) ? repeated(checking, value, at) : undefined,
  prefixItems: (checking, schema, value, at, seen) => {
    if (!Array.isArray(value) || !Array.isArray(schema.prefixItems)) return undefined;
    const upTo = Math.min(value.length, schema.prefixItems.length);
    return checkItems(
      checking,
      value,
      0,
      upTo,
      (index) => (schema.prefixItems as Json[])[index] as Json,
      at,
      seen,
    );
  },
  items: (checking, schema, value, at, seen) => {
    if (!Array.isArray(value)) return undefined;
    const from = Array.isArray(schema.prefixItems) ? schema.prefixItems.length : 0;
    return checkItems(checking, value, from, value.length, () => schema.items as Json, at, seen);
  },
  contains: (checking, schema, value, at, seen) => {
    if (!Array.isArray(value)) return undefined;
    const least = typeof schema.minContains === 'number' ? schema.minContains : 1;
    const most = typeof schema.maxContains === 'number' ? schema.maxContains : Number.POSITIVE_INFINITY;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (check(checking, schema.contains as Json, item, below(at, index), noneSeen(checking)) !== undefined)
        continue;
      found += 1;
      if (checking.prepared.tracks) seen.items.add(index);
    }
    if (found >= least && found <= most) return undefined;
    const range = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `from ${least} to ${most}`;
    return { at, problem: `must contain ${range} valid item(s)` };
  },
  unevaluatedItems: (checking, schema, value, at, seen) => {
    if (!Array.isArray(value)) return undefined;
    for (const [index, item] of value.entries()) {
      charge(checking.meter, 1);
      if (seen.items.has(index)) continue;
      if (schema.unevaluatedItems === false) {
        return { at, problem: `must NOT have more than ${index} items` };
      }
      const problem = check(
        checking,
        schema.unevaluatedItems as Json,
        item,
        below(at, index),
        noneSeen(checking),
      );
      if (problem !== undefined) return problem;
      seen.items.add(index);
    }
    return undefined;
  },
};

function countRule(keyword: string, fits: (count: number, limit: number) => boolean, words: string): Rule {
  return (_checking, schema, value, at) => {
    const limit = schema[keyword];
    if (!Array.isArray(value) || typeof limit !== 'number' || fits(value.length, limit)) return undefined;
    return { at, problem: `must NOT have ${words} than ${limit} items` };
  };
}

function checkItems(
  checking: Checking,
  items: readonly Json[],
  from: number,
  upTo: number,
  schemaOf: (index: number) => Json,
  at: string,
  seen: Seen,
): Outcome {
  for (let index = from; index < upTo; index += 1) {
    const problem = check(
      checking,
      schemaOf(index),
      items[index] as Json,
      below(at, index),
      noneSeen(checking),
    );
    if (problem !== undefined) return problem;
    if (checking.prepared.tracks) seen.items.add(index);
  }
  return undefined;
}

const STEPS_FOR_NUMBER = 4;

/** Equal values have the same text, so one pass with a map finds a repetition. Numbers need no text. */
function repeated({ meter }: Checking, items: readonly Json[], at: string): Outcome {
  const places = new Map<string | number, number>();
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] as Json;
    const key = typeof item === 'number' ? item : textWithin(item, meter);
    if (typeof item === 'number') charge(meter, STEPS_FOR_NUMBER);
    const earlier = places.get(key);
    if (earlier !== undefined) {
      const problem = `must NOT have duplicate items (items ## ${earlier} and ${index} are identical)`;
      return { at, problem };
    }
    places.set(key, index);
  }
  return undefined;
}
