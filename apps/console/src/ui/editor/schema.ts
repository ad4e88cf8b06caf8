import type { Path } from './loose-json.ts';

/** The parts of JSON Schema that say what can be written at a place. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
}

/** The schemas that apply to the value at a path of a document. There are several where schemas are combined. */
export function schemasAt(schema: Schema, document: unknown, path: Path): readonly Schema[] {
  let schemas = applying(schema, document);
  let value = document;
  for (const key of path) {
    value = memberOf(value, key);
    const held = value;
    schemas = schemas.flatMap((one) => below(one, key)).flatMap((one) => applying(one, held));
  }
  return schemas;
}

/** The schema with those that it combines. An alternative that contradicts what is written is left out. */
function applying(schema: Schema, value: unknown): readonly Schema[] {
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter((one) => agrees(one, value));
  const conditional =
    schema.if !== undefined && schema.then !== undefined && agrees(schema.if, value) && has(schema.if, value)
      ? [schema.then]
      : [];
  const combined = [...(schema.allOf ?? []), ...alternatives, ...conditional];
  return [schema, ...combined.flatMap((one) => applying(one, value))];
}

function below(schema: Schema, key: string | number): readonly Schema[] {
  if (typeof key === 'number') return schema.items === undefined ? [] : [schema.items];
  const named = schema.properties?.[key];
  if (named !== undefined) return [named];
  const [pattern] = Object.values(schema.patternProperties ?? {});
  if (pattern !== undefined) return [pattern];
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
}

/** Whether the fixed values that a schema names are those that are written. What is absent contradicts nothing. */
function agrees(schema: Schema, value: unknown): boolean {
  return Object.entries(schema.properties ?? {}).every(([name, { const: fixed, enum: listed }]) => {
    const written = memberOf(value, name);
    if (written === undefined) return true;
    if (fixed !== undefined) return written === fixed;
    return listed === undefined || listed.includes(written);
  });
}

function has({ required = [] }: Schema, value: unknown): boolean {
  return required.every((name) => memberOf(value, name) !== undefined);
}

function memberOf(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;
}

export function typesOf(schema: Schema): readonly string[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}
