import type { WorkflowDefinition } from '@baton/client';
import { sameValue } from '../../../ui/value-diff.ts';

/** How a variable is entered. Everything that is no text, number or truth value is entered as JSON. */
type EntryKind = 'text' | 'number' | 'boolean' | 'json';

export interface EditableVariable {
  readonly name: string;
  readonly kind: EntryKind;
  /** Absent: the variable is not set at this moment. */
  readonly value?: unknown;
  readonly description?: string;
  /** The value as text, to start with. */
  readonly text: string;
  /** The value is too long for a text field. */
  readonly isLong: boolean;
}

type Bag = Readonly<Record<string, unknown>>;
type Declared = NonNullable<WorkflowDefinition['variables']>[number];

const LONGEST = 50_000;

/** The variables of a run at a moment, and those that the workflow declares and that are not set yet. */
export function editableVariables(
  values: Bag,
  declared: readonly Declared[] = [],
): readonly EditableVariable[] {
  const names = new Set([...declared.map(({ name }) => name), ...Object.keys(values)]);
  return [...names].map((name) => {
    const declaration = declared.find((one) => one.name === name);
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const kind = kindOf(value, declaration?.type);
    const text = textOf(value, kind);
    return {
      name,
      kind,
      text,
      isLong: text.length > LONGEST,
      ...(value !== undefined && { value }),
      ...(declaration?.description !== undefined && { description: declaration.description }),
    };
  });
}

function kindOf(value: unknown, type: string | undefined): EntryKind {
  if (value === undefined || value === null) return kindOfType(type);
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'json';
}

function kindOfType(type: string | undefined): EntryKind {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

function textOf(value: unknown, kind: EntryKind): string {
  if (value === undefined || (value === null && kind !== 'json')) return '';
  if (kind === 'text') return String(value);
  return kind === 'json' ? JSON.stringify(value, null, 2) : JSON.stringify(value);
}

type Entered =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'problem'; readonly problem: string };

/** The value that a text stands for. */
function enteredValue(kind: EntryKind, text: string): Entered {
  if (kind === 'text') return { kind: 'value', value: text };
  if (kind === 'number') {
    const value = Number(text);
    const isNumber = text.trim() !== '' && Number.isFinite(value);
    return isNumber
      ? { kind: 'value', value }
      : { kind: 'problem', problem: 'Enter a number, such as 3 or 0.5.' };
  }
  try {
    return { kind: 'value', value: JSON.parse(text) };
  } catch (error) {
    const where = error instanceof Error ? ` (${error.message})` : '';
    return { kind: 'problem', problem: `This is not JSON${where}. A text needs quotation marks.` };
  }
}

export interface Edits {
  /** The variables that have another value now. */
  readonly changed: Bag;
  readonly problems: Readonly<Record<string, string>>;
}

/** What a person has changed. A field that was left as it was changes nothing. */
export function editsOf(
  variables: readonly EditableVariable[],
  texts: Readonly<Record<string, string>>,
): Edits {
  const changed: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const { name, kind, text, value } of variables) {
    const given = Object.hasOwn(texts, name) ? texts[name] : undefined;
    if (given === undefined || given === text) continue;
    const entered = enteredValue(kind, given);
    if (entered.kind === 'problem') problems[name] = entered.problem;
    else if (!sameValue(entered.value, value)) changed[name] = entered.value;
  }
  return { changed, problems };
}

/** The configuration that was entered, if it is another one. It must be a JSON object. */
export function editedConfiguration(before: Bag, text: string): Entered | undefined {
  const entered = enteredValue('json', text.trim() === '' ? '{}' : text);
  if (entered.kind === 'problem') return entered;
  const { value } = entered;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'problem', problem: 'Enter a JSON object, such as { "runTimeoutMs": 60000 }.' };
  return sameValue(value, before) ? undefined : entered;
}

/** The index that was entered, or `undefined` if a run with this last event has no such index. */
export function indexIn(text: string, last: number): number | undefined {
  const index = Number(text);
  const isIndex = text.trim() !== '' && Number.isSafeInteger(index) && index >= 0 && index <= last + 1;
  return isIndex ? index : undefined;
}
