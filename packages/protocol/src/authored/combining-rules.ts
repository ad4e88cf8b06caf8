import type { Json, JsonObject } from '../json.ts';
import { check, checkInPlace, deepest, noneSeen, type Outcome, type Problem, type Rule } from './checking.ts';

/** Rules that apply other parts of a schema to the same value. */
export const COMBINING_RULES: Readonly<Record<string, Rule>> = {
  $ref: (checking, schema, value, at, seen) => {
    const target = checking.prepared.targets.get(schema);
    return target === undefined ? undefined : checkInPlace(checking, target, value, at, seen);
  },
  not: (checking, schema, value, at) => {
    const problem = check(checking, schema.not as Json, value, at, noneSeen(checking));
    return problem === undefined ? { at, problem: 'must NOT be valid' } : undefined;
  },
  anyOf: (checking, schema, value, at, seen) => {
    const problems: Problem[] = [];
    let fits = false;
    for (const one of partsOf(schema.anyOf)) {
      const problem = checkInPlace(checking, one, value, at, seen);
      if (problem !== undefined) problems.push(problem);
      else fits = true;
      if (fits && !checking.prepared.tracks) return undefined;
    }
    if (fits) return undefined;
    return deepest([...problems, { at, problem: 'must match a schema in anyOf' }]);
  },
  oneOf: (checking, schema, value, at, seen) => {
    const problems: Problem[] = [];
    let fitting = 0;
    for (const one of partsOf(schema.oneOf)) {
      const problem = checkInPlace(checking, one, value, at, seen);
      if (problem === undefined) fitting += 1;
      else problems.push(problem);
      if (fitting > 1) break;
    }
    if (fitting === 1) return undefined;
    const own = { at, problem: 'must match exactly one schema in oneOf' };
    return fitting > 1 ? own : deepest([...problems, own]);
  },
  allOf: (checking, schema, value, at, seen) => {
    for (const one of partsOf(schema.allOf)) {
      const problem = checkInPlace(checking, one, value, at, seen);
      if (problem !== undefined) return problem;
    }
    return undefined;
  },
  if: (checking, schema, value, at, seen): Outcome => {
    const holds = checkInPlace(checking, schema.if as Json, value, at, seen) === undefined;
    const next = holds ? schema.then : schema.else;
    return next === undefined ? undefined : checkInPlace(checking, next, value, at, seen);
  },
};

function partsOf(given: JsonObject[string] | undefined): readonly Json[] {
  return Array.isArray(given) ? given : [];
}
