import { brokenSchema, isJsonObject, type JsonObject } from '@baton/protocol';

/**
 * Schemas of authors: JSON Schema, or a schema of any library that follows Standard Schema (https://standardschema.dev),
 * such as zod. A library converts its schemas to JSON Schema by its own means; nothing of it is a dependency here.
 */

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Result<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Converter {
  readonly input: (options: { readonly target: string }) => Record<string, unknown>;
  readonly output: (options: { readonly target: string }) => Record<string, unknown>;
}

/** The part of Standard Schema, version 1, that is used here. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema. zod has it from version 4.2. */
    readonly jsonSchema?: Converter | undefined;
  };
}

/** A schema of a library that cannot convert it, with its JSON Schema beside it. */
export interface ConvertedSchema<Input = unknown, Output = Input> {
  readonly schema: StandardSchema<Input, Output>;
  readonly jsonSchema: JsonObject;
}

/** A schema with the types of its values, or a JSON Schema, whose values have no known type. */
export type Schema<Input = unknown, Output = Input> =
  | StandardSchema<Input, Output>
  | ConvertedSchema<Input, Output>
  | (JsonObject & { readonly '~standard'?: never; readonly schema?: never });

/** The JSON Schema of the values that a schema accepts (`input`) or makes of them (`output`). */
export function jsonSchemaOf(given: Schema, side: 'input' | 'output', what: string): JsonObject {
  const found = converted(given, side, what);
  const { $schema: _dialect, ...schema } = found;
  const broken = brokenSchema(schema);
  if (broken !== undefined)
    throw new TypeError(`The ${what} has a schema that a host cannot use: ${broken}.`);
  return schema;
}

/** What libraries call their own conversion, where they do not have the standard one. */
const OWN_MEANS = ['toJSONSchema', 'toJsonSchema'];

function converted(given: Schema, side: 'input' | 'output', what: string): JsonObject {
  if (isConverted(given)) return given.jsonSchema;
  if (!isStandard(given)) return plain(given, what);
  const { jsonSchema, vendor } = given['~standard'];
  if (jsonSchema !== undefined) return plain(jsonSchema[side]({ target: 'draft-2020-12' }), what);
  const own = OWN_MEANS.map((name) => (given as unknown as Record<string, unknown>)[name]).find(
    (one) => typeof one === 'function',
  );
  if (own !== undefined) return plain((own as () => unknown).call(given), what);
  throw new TypeError(
    `The schema of the ${what} is from "${vendor}", which does not convert it to JSON Schema by itself. Give both: { schema, jsonSchema }.`,
  );
}

/** As JSON, so that it holds nothing else. */
function plain(given: unknown, what: string): JsonObject {
  const schema: unknown = given === undefined ? undefined : JSON.parse(JSON.stringify(given));
  if (!isJsonObject(schema)) throw new TypeError(`The schema of the ${what} is not an object.`);
  return schema;
}

function isConverted(given: Schema): given is ConvertedSchema {
  return typeof given === 'object' && 'jsonSchema' in given && 'schema' in given;
}

/** Schemas of some libraries are functions. */
function isStandard(given: Schema): given is StandardSchema {
  return '~standard' in given && given['~standard'] !== undefined;
}

export class InvalidValue extends Error {}

/** The value that a schema makes of another one. Throws `InvalidValue` with the fields that are wrong. */
export async function parsed<Output>(given: Schema<unknown, Output>, value: unknown): Promise<Output> {
  const schema = isConverted(given) ? given.schema : given;
  if (!isStandard(schema)) return value as Output;
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return result.value as Output;
  throw new InvalidValue(result.issues.map(wordsOf).join('; '));
}

function wordsOf({ message, path = [] }: Issue): string {
  const at = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return at === '' ? message : `${at}: ${message}`;
}
