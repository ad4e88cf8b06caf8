import { Ajv2020 } from 'ajv/dist/2020.js';
import { tooLarge } from './authored/bounds.ts';
import { check, noneSeen, type Prepared, type Problem } from './authored/checking.ts';
import { prepare } from './authored/prepare.ts';
import type { Json, JsonObject } from './json.ts';
import { meterOf, TooMuchWorkError } from './meter.ts';
import type { FieldProblem } from './validate.ts';

/**
 * JSON Schemas that authors write into their workflows. These schemas are untrusted input, so no code is
 * generated from them: they are interpreted rule by rule, and a meter counts the work. If a check would take
 * more steps than the meter allows, the value is refused. A small schema can also ask for too much work.
 */

/** Steps that one check may take: about 50 ms. */
export const SCHEMA_STEPS = 1_500_000;

type Known = { readonly rules: JsonObject; readonly prepared: Prepared } | { readonly broken: string };

const known = new WeakMap<object, Known>();

function look(schema: object): Known {
  const found = known.get(schema);
  if (found !== undefined) return found;
  const made = lookFirst(schema as JsonObject);
  known.set(schema, made);
  return made;
}

function lookFirst(schema: JsonObject): Known {
  // `$id` and `$schema` constrain no value, and the validator must not try to load what they name.
  const { $id: _id, $schema: _schema, ...rules } = schema;
  const broken = tooLarge(rules) ?? notASchema(rules);
  if (broken !== undefined) return { broken };
  try {
    return { rules, prepared: prepare(rules) };
  } catch (problem) {
    return { broken: problem instanceof Error ? problem.message : String(problem) };
  }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });

function notASchema(schema: JsonObject): string | undefined {
  if (ajv.validateSchema(schema) === true) return undefined;
  return `schema is invalid: ${ajv.errorsText(ajv.errors)}`;
}

/** The reason why the host cannot use this schema, or undefined if it can. */
export function brokenSchema(schema: object): string | undefined {
  const looked = look(schema);
  return 'broken' in looked ? looked.broken : undefined;
}

/** The first problem of `value`. A schema that cannot be used refuses every value. */
export function problemByAuthor(
  schema: object,
  value: unknown,
  meter = meterOf('the check against the schema takes', SCHEMA_STEPS),
): FieldProblem | undefined {
  const looked = look(schema);
  if ('broken' in looked) return { field: '', problem: `cannot be checked: ${looked.broken}` };
  try {
    const checking = { meter, prepared: looked.prepared, depth: 0 };
    const problem = check(checking, looked.rules, value as Json, '', noneSeen(checking));
    return problem && inWords(problem);
  } catch (problem) {
    if (!(problem instanceof TooMuchWorkError)) throw problem;
    return { field: '', problem: `cannot be checked: ${problem.message}` };
  }
}

function inWords({ at, name, problem }: Problem): FieldProblem {
  const path = at.slice(1).replaceAll('/', '.');
  if (name === undefined) return { field: path, problem };
  return { field: path === '' ? name : `${path}.${name}`, problem };
}
