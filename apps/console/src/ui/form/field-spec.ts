import type { WorkflowDefinition } from '@baton/client';
import { isObject, valueText } from '../content/value-text.ts';

type FieldKind = 'text' | 'long-text' | 'number' | 'boolean' | 'choice' | 'json';

/** A control of a generated form. What a person enters is a text until the form is read. */
export interface FieldSpec {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly hint?: string;
  readonly required: boolean;
  /** The text that the control shows first. A control that is left as it was gives no value. */
  readonly initial: string;
  readonly sensitive?: boolean;
  /** The values of a choice. The text of the control is the place of the value. */
  readonly choices?: readonly unknown[];
  readonly least?: number;
  readonly most?: number;
  readonly whole?: boolean;
  /** What a JSON value must be. */
  readonly json?: 'object' | 'array';
}

type Variable = NonNullable<WorkflowDefinition['variables']>[number];

/** The control for a variable of a workflow. The host fills in the default value of one that is not given. */
export function fieldOfVariable(variable: Variable): FieldSpec {
  const { name, type, description, required = false, defaultValue, sensitive = false } = variable;
  const initial = defaultValue === undefined ? '' : valueText(defaultValue);
  return {
    name,
    label: name,
    required: required && defaultValue === undefined,
    initial: type === 'boolean' && defaultValue === undefined ? '' : initial,
    ...(description !== undefined && { hint: description }),
    ...(sensitive && { sensitive }),
    ...kindOfType(type, initial),
  };
}

function kindOfType(type: string, initial: string): Pick<FieldSpec, 'kind' | 'json'> {
  switch (type) {
    case 'number':
    case 'boolean':
      return { kind: type };
    case 'object':
    case 'array':
      return { kind: 'json', json: type };
    default:
      return { kind: initial.includes('\n') || initial.length > 80 ? 'long-text' : 'text' };
  }
}

/** The control for a value that a JSON schema describes. Whatever a control cannot express is entered as JSON. */
export function fieldOfSchema(name: string, label: string, schema: unknown, required = true): FieldSpec {
  const base = { name, label, required, initial: '' };
  if (!isObject(schema)) return { ...base, kind: 'long-text' };
  const { type, description, enum: choices } = schema;
  const hint = typeof description === 'string' ? { hint: description } : {};
  const initial = schema.default === undefined ? '' : valueText(schema.default);
  if (Array.isArray(choices)) {
    const place = choices.findIndex((choice) => valueText(choice) === initial);
    return {
      ...base,
      ...hint,
      kind: 'choice',
      choices,
      initial: initial === '' || place < 0 ? '' : String(place),
    };
  }
  switch (type) {
    case 'string':
      return { ...base, ...hint, kind: isShort(schema) ? 'text' : 'long-text', initial };
    case 'number':
    case 'integer':
      return {
        ...base,
        ...hint,
        kind: 'number',
        initial,
        ...bounds(schema),
        ...(type === 'integer' && { whole: true }),
      };
    case 'boolean':
      return { ...base, ...hint, kind: 'boolean', initial };
    case 'object':
    case 'array':
      return { ...base, ...hint, kind: 'json', json: type, initial };
    default:
      return { ...base, ...hint, kind: type === undefined ? 'long-text' : 'json', initial };
  }
}

function isShort({ maxLength, format, pattern }: Readonly<Record<string, unknown>>): boolean {
  return (typeof maxLength === 'number' && maxLength <= 120) || format !== undefined || pattern !== undefined;
}

function bounds({ minimum, maximum }: Readonly<Record<string, unknown>>): Pick<FieldSpec, 'least' | 'most'> {
  return {
    ...(typeof minimum === 'number' && { least: minimum }),
    ...(typeof maximum === 'number' && { most: maximum }),
  };
}
