import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { charge, stepsForMembers } from '../meter.ts';
import { below, type Checking, check, checkInPlace, noneSeen, type Outcome, type Rule } from './checking.ts';

/** Rules about objects. */
export const OBJECT_RULES: Readonly<Record<string, Rule>> = {
  maxProperties: countRule('maxProperties', (count, limit) => count <= limit, 'more'),
  minProperties: countRule('minProperties', (count, limit) => count >= limit, 'fewer'),
  required: (checking, schema, value, at) =>
    isJsonObject(value) ? missing(checking, schema.required, value, at) : undefined,
  dependentRequired: (checking, schema, value, at) =>
    dependent(checking, schema.dependentRequired, value, (needs, object) =>
      missing(checking, needs, object, at),
    ),
  propertyNames: (checking, schema, value, at) => {
    for (const name of namesOf(checking, value)) {
      const problem = check(checking, schema.propertyNames as Json, name, at, noneSeen(checking));
      if (problem !== undefined) return { at, name, problem: `has a name that ${problem.problem}` };
    }
    return undefined;
  },
  properties: (checking, schema, value, at, seen) => {
    if (!isJsonObject(value) || !isJsonObject(schema.properties)) return undefined;
    for (const name of Object.keys(schema.properties)) {
      charge(checking.meter, 1);
      if (!Object.hasOwn(value, name)) continue;
      const part = schema.properties[name] as Json;
      const problem = check(checking, part, value[name] as Json, below(at, name), noneSeen(checking));
      if (problem !== undefined) return problem;
      if (checking.prepared.tracks) seen.names.add(name);
    }
    return undefined;
  },
  patternProperties: (checking, schema, value, at, seen) => {
    if (!isJsonObject(schema.patternProperties)) return undefined;
    for (const name of namesOf(checking, value)) {
      for (const [source, part] of Object.entries(schema.patternProperties)) {
        if (!matches(checking, source, name)) continue;
        const member = (value as JsonObject)[name] as Json;
        const problem = check(checking, part, member, below(at, name), noneSeen(checking));
        if (problem !== undefined) return problem;
        if (checking.prepared.tracks) seen.names.add(name);
      }
    }
    return undefined;
  },
  additionalProperties: (checking, schema, value, at, seen) => {
    const declared = isJsonObject(schema.properties) ? schema.properties : {};
    const sources = isJsonObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : [];
    for (const name of namesOf(checking, value)) {
      if (Object.hasOwn(declared, name) || sources.some((source) => matches(checking, source, name)))
        continue;
      const problem = checkMember(checking, schema.additionalProperties as Json, value, name, at);
      if (problem !== undefined) return problem;
      if (checking.prepared.tracks) seen.names.add(name);
    }
    return undefined;
  },
  dependentSchemas: (checking, schema, value, at, seen) =>
    dependent(checking, schema.dependentSchemas, value, (part, object) =>
      checkInPlace(checking, part, object, at, seen),
    ),
  dependencies: (checking, schema, value, at, seen) =>
    dependent(checking, schema.dependencies, value, (needs, object) =>
      Array.isArray(needs)
        ? missing(checking, needs, object, at)
        : checkInPlace(checking, needs, object, at, seen),
    ),
  unevaluatedProperties: (checking, schema, value, at, seen) => {
    for (const name of namesOf(checking, value)) {
      if (seen.names.has(name)) continue;
      const problem = checkMember(checking, schema.unevaluatedProperties as Json, value, name, at);
      if (problem !== undefined) return problem;
      seen.names.add(name);
    }
    return undefined;
  },
};

function namesOf({ meter }: Checking, value: Json): readonly string[] {
  if (!isJsonObject(value)) return [];
  const names = Object.keys(value);
  charge(meter, stepsForMembers(names.length));
  return names;
}

function matches({ meter, prepared }: Checking, source: string, name: string): boolean {
  return prepared.patterns.get(source)?.matches(name, meter) === true;
}

/** The schema `false` is reported as an unknown field; any other schema reports its own problem. */
function checkMember(checking: Checking, schema: Json, value: Json, name: string, at: string): Outcome {
  if (schema === false) return { at, name, problem: 'is not a known field' };
  return check(checking, schema, (value as JsonObject)[name] as Json, below(at, name), noneSeen(checking));
}

function missing({ meter }: Checking, needed: Json | undefined, value: JsonObject, at: string): Outcome {
  for (const name of Array.isArray(needed) ? needed : []) {
    charge(meter, 1);
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return { at, name, problem: 'is required' };
  }
  return undefined;
}

function dependent(
  { meter }: Checking,
  given: Json | undefined,
  value: Json,
  apply: (part: Json, value: JsonObject) => Outcome,
): Outcome {
  if (!isJsonObject(value) || !isJsonObject(given)) return undefined;
  for (const [name, part] of Object.entries(given)) {
    charge(meter, 1);
    const problem = Object.hasOwn(value, name) ? apply(part, value) : undefined;
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function countRule(keyword: string, fits: (count: number, limit: number) => boolean, words: string): Rule {
  return (checking, schema, value, at) => {
    const limit = schema[keyword];
    if (!isJsonObject(value) || typeof limit !== 'number') return undefined;
    if (fits(namesOf(checking, value).length, limit)) return undefined;
    return { at, problem: `must NOT have ${words} than ${limit} properties` };
  };
}
