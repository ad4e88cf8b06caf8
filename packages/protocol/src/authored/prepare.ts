import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { compilePattern, type Pattern } from '../pattern.ts';
import { ARRAY_RULES } from './array-rules.ts';
import {
  check,
  checkInPlace,
  deepest,
  noneSeen,
  type Outcome,
  type Prepared,
  type Problem,
  type Rule,
} from './checking.ts';
import { OBJECT_RULES } from './object-rules.ts';
import { NUMBER_RULES, TEXT_RULES, TYPE_RULES, VALUE_RULES } from './scalar-rules.ts';

/** Rules that apply other parts of a schema to the same value. */
const COMBINING_RULES: Readonly<Record<string, Rule>> = {
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

/** Makes one pass over a schema. Throws an error with the reason if the schema cannot be used. */
export function prepare(schema: JsonObject): Prepared {
  const state: Preparing = {
    rules: new Map(),
    targets: new Map(),
    patterns: new Map(),
    names: { ids: new Map(), anchors: new Map() },
    references: [],
  };
  visit(state, schema, schema);
  for (let next = state.references.pop(); next !== undefined; next = state.references.pop()) {
    const { part, reference, root } = next;
    const target = referredPart(reference, root, state.names);
    if (target === undefined) throw new Error(`can't resolve reference ${reference}`);
    state.targets.set(part, target);
    if (isJsonObject(target)) visit(state, target, root);
  }
  const tracks = [...state.rules.keys()].some(
    (part) => 'unevaluatedItems' in part || 'unevaluatedProperties' in part,
  );
  return { rules: state.rules, targets: state.targets, patterns: state.patterns, tracks };
}

interface Preparing {
  readonly rules: Map<object, readonly Rule[]>;
  readonly targets: Map<object, Json>;
  readonly patterns: Map<string, Pattern>;
  readonly names: Names;
  readonly references: { readonly part: JsonObject; readonly reference: string; readonly root: JsonObject }[];
}

/** `ORDERED` sorts them: rules with specific problems come first, `unevaluated…` rules last. */
const RULES: Readonly<Record<string, Rule>> = {
  ...COMBINING_RULES,
  $dynamicRef: COMBINING_RULES.$ref as Rule,
  ...TYPE_RULES,
  ...NUMBER_RULES,
  ...TEXT_RULES,
  ...VALUE_RULES,
  ...ARRAY_RULES,
  ...OBJECT_RULES,
};
const ORDER = [
  '$ref',
  '$dynamicRef',
  'type',
  ...Object.keys({ ...NUMBER_RULES, ...TEXT_RULES, ...VALUE_RULES }),
];
const LAST = ['unevaluatedItems', 'unevaluatedProperties'];
const ORDERED = [
  ...new Set([...ORDER, ...Object.keys(RULES).filter((name) => !LAST.includes(name)), ...LAST]),
];

const PARTS = [
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'];

/** Keywords of other validators. They are refused, because ignoring them would accept values silently. */
const UNKNOWN = ['formatMinimum', 'formatMaximum', 'formatExclusiveMinimum', 'formatExclusiveMaximum'];

function visit(state: Preparing, part: JsonObject, root: JsonObject): void {
  if (state.rules.has(part)) return;
  state.rules.set(
    part,
    ORDERED.filter((name) => Object.hasOwn(part, name)).map((name) => RULES[name] as Rule),
  );
  const unknown = UNKNOWN.find((name) => Object.hasOwn(part, name));
  if (unknown !== undefined) throw new Error(`the keyword ${unknown} is not supported`);
  const home = typeof part.$id === 'string' && part !== root ? part : root;
  note(state, part, home);
  for (const name of PARTS) visitPart(state, part[name], home);
  for (const name of LISTS) for (const one of listOf(part[name])) visitPart(state, one, home);
  for (const name of MAPS) for (const one of membersOf(part[name])) visitPart(state, one, home);
}

function note(state: Preparing, part: JsonObject, home: JsonObject): void {
  if (home === part && typeof part.$id === 'string') state.names.ids.set(part.$id, part);
  for (const anchor of [part.$anchor, part.$dynamicAnchor]) {
    if (typeof anchor !== 'string') continue;
    const anchors = state.names.anchors.get(home) ?? new Map<string, JsonObject>();
    state.names.anchors.set(home, anchors.set(anchor, part));
  }
  for (const reference of [part.$ref, part.$dynamicRef]) {
    if (typeof reference === 'string') state.references.push({ part, reference, root: home });
  }
  if (typeof part.pattern === 'string') state.patterns.set(part.pattern, compilePattern(part.pattern));
  for (const source of isJsonObject(part.patternProperties) ? Object.keys(part.patternProperties) : []) {
    state.patterns.set(source, compilePattern(source));
  }
}

function visitPart(state: Preparing, part: Json | undefined, root: JsonObject): void {
  if (isJsonObject(part)) visit(state, part, root);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: Json | undefined): readonly Json[] {
  return isJsonObject(value) ? Object.values(value) : [];
}

/** Resolves references. They can only refer to parts of the same schema. */

/** The parts of a schema that have a name. */
interface Names {
  /** By `$id`. Such a part is the root for the references inside it. */
  readonly ids: Map<string, JsonObject>;
  /** `$anchor` and `$dynamicAnchor`, by the root that they belong to. */
  readonly anchors: Map<object, Map<string, JsonObject>>;
}

function referredPart(reference: string, root: JsonObject, names: Names): Json | undefined {
  const [id = '', fragment = ''] = reference.split('#', 2);
  const resource = id === '' ? root : names.ids.get(id);
  if (resource === undefined || fragment === '') return resource;
  if (!fragment.startsWith('/')) return names.anchors.get(resource)?.get(fragment);
  return atPointer(resource, fragment);
}

function atPointer(root: JsonObject, pointer: string): Json | undefined {
  let part: Json | undefined = root;
  for (const step of pointer.slice(1).split('/')) {
    const name = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(part)) part = part[Number(name)];
    else part = isJsonObject(part) && Object.hasOwn(part, name) ? part[name] : undefined;
  }
  return part;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
