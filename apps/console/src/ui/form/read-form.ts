import { isObject } from '../content/value-text.ts';
import type { FieldSpec } from './field-spec.ts';

/** What the entered text of a control means. */
type FieldReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly problem: string };

const ABSENT: FieldReading = { kind: 'absent' };

/** A control that was left as it was gives no value, so that the host uses the default value of the present version. */
export function readField(spec: FieldSpec, text: string, keepInitial = false): FieldReading {
  if (text === spec.initial && text !== '' && !keepInitial) return ABSENT;
  const isText = spec.kind === 'text' || spec.kind === 'long-text';
  if (text === '' || (!isText && text.trim() === '')) {
    if (spec.required) return problem('A value is needed here.');
    return isText && spec.initial !== '' ? { kind: 'value', value: '' } : ABSENT;
  }
  switch (spec.kind) {
    case 'text':
    case 'long-text':
      return { kind: 'value', value: text };
    case 'boolean':
      return { kind: 'value', value: text === 'true' };
    case 'choice':
      return { kind: 'value', value: spec.choices?.[Number(text)] };
    case 'number':
      return readNumber(spec, text);
    case 'json':
      return readJson(spec, text);
  }
}

function readNumber({ least, most, whole }: FieldSpec, text: string): FieldReading {
  const value = Number(text);
  if (!Number.isFinite(value)) return problem('This is not a number.');
  if (whole === true && !Number.isInteger(value)) return problem('Enter a whole number.');
  if (least !== undefined && value < least) return problem(`Enter ${least} or more.`);
  if (most !== undefined && value > most) return problem(`Enter ${most} or less.`);
  return { kind: 'value', value };
}

function readJson({ json }: FieldSpec, text: string): FieldReading {
  const parsed = parseJson(text);
  if ('problem' in parsed) return problem(parsed.problem);
  const { value } = parsed;
  if (json === 'array' && !Array.isArray(value)) return problem('Enter a JSON list, such as ["a", "b"].');
  if (json === 'object' && !isObject(value))
    return problem('Enter a JSON object, such as {"name": "value"}.');
  return { kind: 'value', value };
}

export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : error}` };
  }
}

function problem(text: string): FieldReading {
  return { kind: 'problem', problem: text };
}

interface FormReading {
  readonly values: Readonly<Record<string, unknown>>;
  /** By the names of the controls. Empty when the form can be sent. */
  readonly problems: Readonly<Record<string, string>>;
}

export function readForm(
  specs: readonly FieldSpec[],
  texts: Readonly<Record<string, string>>,
  keepInitial = false,
): FormReading {
  const readings = specs.map(
    (spec) => [spec.name, readField(spec, texts[spec.name] ?? spec.initial, keepInitial)] as const,
  );
  return {
    values: Object.fromEntries(
      readings.flatMap(([name, reading]) => (reading.kind === 'value' ? [[name, reading.value]] : [])),
    ),
    problems: Object.fromEntries(
      readings.flatMap(([name, reading]) => (reading.kind === 'problem' ? [[name, reading.problem]] : [])),
    ),
  };
}

/**
 * The control that a refusal of the host is about. Example: the field `inputs.topic.name` with the prefix `inputs` is
 * about the control `topic`.
 */
export function refusedField(
  field: unknown,
  prefix: string,
  specs: readonly FieldSpec[],
): string | undefined {
  if (typeof field !== 'string') return undefined;
  const path = field.replace(/^\//, '').replaceAll('/', '.');
  const rest = path.startsWith(`${prefix}.`) ? path.slice(prefix.length + 1) : path;
  return specs.find(({ name }) => rest === name || rest.startsWith(`${name}.`) || rest.startsWith(`${name}[`))
    ?.name;
}
