import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { BatonError } from './errors.ts';

// ajv-formats is CommonJS: under Node's ESM loader its function is the default member.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
const ajv = new Ajv2020({ allErrors: false, strict: false, discriminator: true });
addFormats(ajv);

const compiled = new WeakMap<object, ValidateFunction>();

export interface FieldProblem {
  readonly field: string;
  readonly problem: string;
}

/** The first problem of `value`, or undefined. Schemas are compiled on first use. */
export function problemWith(schema: TSchema | object, value: unknown): FieldProblem | undefined {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = ajv.compile(schema);
    compiled.set(schema, check);
  }
  return problemIn(check, value);
}

function problemIn(check: ValidateFunction, value: unknown): FieldProblem | undefined {
  return check(value) ? undefined : describe(check.errors ?? []);
}

/** Returns `value` with the type of the schema. Throws a `validation_error` that names the field. */
export function parse<S extends TSchema>(schema: S, value: unknown, what: string): Static<S> {
  const problem = problemWith(schema, value);
  if (problem === undefined) return value as Static<S>;
  throw invalid(what, problem);
}

export function invalid(what: string, problem: FieldProblem, more?: Record<string, unknown>): BatonError {
  const where = problem.field === '' ? what : `${what}: ${problem.field}`;
  return new BatonError('validation_error', `${where} ${problem.problem}`, { ...problem, ...more });
}

function describe(errors: readonly ErrorObject[]): FieldProblem {
  // The problem with the deepest path is the most specific one. A union also reports problems at its own
  // root.
  const best = errors.reduce<ErrorObject | undefined>(
    (found, error) => (found && found.instancePath.length >= error.instancePath.length ? found : error),
    undefined,
  );
  if (best === undefined) return { field: '', problem: 'is not valid' };
  const path = best.instancePath.slice(1).replaceAll('/', '.');
  const extra = best.params.additionalProperty ?? best.params.unevaluatedProperty;
  if (typeof extra === 'string') return { field: joinPath(path, extra), problem: 'is not a known field' };
  if (best.keyword === 'discriminator') {
    const problem = `"${String(best.params.tagValue)}" is not one that is known`;
    return { field: joinPath(path, String(best.params.tag)), problem };
  }
  const missing = best.params.missingProperty;
  if (typeof missing === 'string') return { field: joinPath(path, missing), problem: 'is required' };
  if (Array.isArray(best.params.allowedValues)) {
    return { field: path, problem: `must be one of ${best.params.allowedValues.join(', ')}` };
  }
  return { field: path, problem: withArticle(best.message ?? 'is not valid') };
}

function withArticle(message: string): string {
  return message
    .replace(/^must be (object|array|integer)$/, 'must be an $1')
    .replace(/^must be (string|number|boolean)$/, 'must be a $1');
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
