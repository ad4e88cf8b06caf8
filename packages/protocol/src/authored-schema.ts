import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { RE2JS } from 're2js';
import { type FieldProblem, problemIn } from './validate.ts';

/**
 * JSON Schemas that authors write into their workflows. They are input like any other: their patterns run
 * on a linear-time matcher, so that none can stall the host, and each is compiled apart from the others.
 */

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

/** The validator tells patterns apart by their text, so each must print its own. */
function linearPattern(source: string): { test(text: string): boolean; toString(): string } {
  const pattern = RE2JS.compile(source);
  return { test: (text) => pattern.matcher(text).find(), toString: () => source };
}
linearPattern.code = 'linearPattern';

const compiled = new WeakMap<object, ValidateFunction>();

function compile(schema: object): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, code: { regExp: linearPattern as never } });
  addFormats(ajv);
  // Labels are left out: they constrain nothing, and must not be looked up anywhere.
  const { $id: _id, $schema: _schema, ...rules } = schema as Record<string, unknown>;
  const check = ajv.compile(rules);
  compiled.set(schema, check);
  return check;
}

/** Why this is not a schema the host can use, or nothing. */
export function brokenSchema(schema: object): string | undefined {
  try {
    compile(schema);
    return undefined;
  } catch (problem) {
    return problem instanceof Error ? problem.message : String(problem);
  }
}

/** The first thing that is wrong with `value`. A schema that cannot be used lets nothing pass. */
export function problemByAuthor(schema: object, value: unknown): FieldProblem | undefined {
  const broken = brokenSchema(schema);
  if (broken !== undefined) return { field: '', problem: `cannot be checked: ${broken}` };
  return problemIn(compile(schema), value);
}
