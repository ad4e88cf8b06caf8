import type { Json, JsonObject } from '../json.ts';
import { charge, type Meter } from '../meter.ts';
import type { Pattern } from '../pattern.ts';

/** The state that all rules share while one value is checked. */
export interface Checking {
  readonly meter: Meter;
  readonly prepared: Prepared;
  depth: number;
}

/** A schema after one pass over it: the rules of each part, and the target of each reference. */
export interface Prepared {
  readonly rules: ReadonlyMap<object, readonly Rule[]>;
  readonly targets: ReadonlyMap<object, Json>;
  readonly patterns: ReadonlyMap<string, Pattern>;
  /**
   * True if a rule (`unevaluatedItems`, `unevaluatedProperties`) needs to know what other rules have checked.
   */
  readonly tracks: boolean;
}

/** Why a value is refused. `at` is a JSON pointer, `name` the member that is missing or not allowed. */
export interface Problem {
  readonly at: string;
  readonly name?: string;
  readonly problem: string;
}

/** Members and items that a rule has checked. */
export interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

/** Applies one rule to one value. */
export type Rule = (checking: Checking, schema: JsonObject, value: Json, at: string, seen: Seen) => Outcome;
export type Outcome = Problem | undefined;

const NONE: readonly Rule[] = [];

/** Deeper than any value and any useful schema. Only a reference to itself exceeds it. */
const MAX_DEPTH = 400;

const UNTRACKED: Seen = { names: new Set(), items: new Set() };

/** If no rule needs to know what was checked, all callers share one empty record. */
export function noneSeen({ prepared }: Pick<Checking, 'prepared'>): Seen {
  return prepared.tracks ? { names: new Set(), items: new Set() } : UNTRACKED;
}

/** The first problem of the value with this part of the schema. */
export function check(checking: Checking, schema: Json, value: Json, at: string, seen: Seen): Outcome {
  const { meter, prepared } = checking;
  charge(meter, 4);
  if (typeof schema === 'boolean') return schema ? undefined : { at, problem: 'must not be there' };
  if (typeof schema !== 'object' || schema === null) return undefined;
  const rules = prepared.rules.get(schema) ?? NONE;
  charge(meter, 2 * rules.length);
  checking.depth += 1;
  if (checking.depth > MAX_DEPTH) charge(meter, meter.left + 1);
  for (const rule of rules) {
    const problem = rule(checking, schema as JsonObject, value, at, seen);
    if (problem === undefined) continue;
    checking.depth -= 1;
    return problem;
  }
  checking.depth -= 1;
  return undefined;
}

/**
 * Checks the same value against another part of the schema. What that part checked counts only if it accepts.
 */
export function checkInPlace(checking: Checking, schema: Json, value: Json, at: string, seen: Seen): Outcome {
  if (!checking.prepared.tracks) return check(checking, schema, value, at, seen);
  const own = noneSeen(checking);
  const problem = check(checking, schema, value, at, own);
  if (problem !== undefined) return problem;
  charge(checking.meter, own.names.size + own.items.size);
  for (const name of own.names) seen.names.add(name);
  for (const item of own.items) seen.items.add(item);
  return undefined;
}

/** The deepest problem is the most specific one. */
export function deepest(problems: readonly Problem[]): Problem | undefined {
  return problems.reduce<Problem | undefined>(
    (found, problem) => (found && found.at.length >= problem.at.length ? found : problem),
    undefined,
  );
}

export function below(at: string, step: string | number): string {
  return `${at}/${typeof step === 'number' ? step : step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
