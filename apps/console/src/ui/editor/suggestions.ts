import {
  type Loose,
  type LooseMember,
  type LooseObject,
  type Path,
  readLoose,
  writtenValue,
} from './loose-json.ts';
import { type Schema, schemasAt, typesOf } from './schema.ts';

export interface Suggestion {
  readonly label: string;
  /** A word about the suggestion, such as its type. */
  readonly detail?: string;
  /** A sentence about the suggestion. */
  readonly info?: string;
  /** The text that is written, and where the cursor is in it afterwards. */
  readonly text: string;
  readonly caret: number;
}

interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly list: readonly Suggestion[];
}

/** A value that the document itself offers, such as the id of one of its nodes. */
export interface OwnValue {
  readonly value: string;
  readonly info?: string;
}

export interface SuggestionSource {
  readonly schema: Schema;
  /** Values for a place that no schema can list. */
  readonly valuesAt?: (document: unknown, path: Path) => readonly OwnValue[];
}

/** What can be written at the cursor. */
export function suggestionsAt(
  text: string,
  at: number,
  { schema, valuesAt }: SuggestionSource,
): Suggestions | undefined {
  const loose = readLoose(text);
  const cursor = cursorAt(loose, text, at);
  if (cursor === undefined) return undefined;
  const document = writtenValue(loose);
  const schemas = schemasAt(schema, document, cursor.path);
  const list =
    cursor.expects === 'name'
      ? names(
          schemas,
          holderAt(document, cursor.path),
          text.slice(cursor.from, cursor.to),
          cursor.hasColon === true,
        )
      : [...(valuesAt?.(document, cursor.path) ?? []).map(ownValue), ...schemas.flatMap(values)];
  const unique = [...new Map(list.map((one) => [one.label, one])).values()];
  return { from: cursor.from, to: cursor.to, list: unique };
}

function holderAt(document: unknown, path: Path): object {
  const held = path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    document,
  );
  return typeof held === 'object' && held !== null ? held : {};
}

function names(
  schemas: readonly Schema[],
  holder: object,
  written: string,
  hasColon: boolean,
): readonly Suggestion[] {
  const current = written.replaceAll('"', '');
  return schemas.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties)
      .filter(([name]) => name === current || !Object.hasOwn(holder, name))
      .map(([name, schema]): Suggestion => {
        const [before, after] = hasColon ? ['', ''] : bracketsOf(schema);
        const start = `${JSON.stringify(name)}${hasColon ? '' : ': '}${before}`;
        const type = typesOf(schema).join(' or ');
        const detail = [type, required.includes(name) ? 'required' : '']
          .filter((word) => word !== '')
          .join(', ');
        return {
          label: name,
          text: `${start}${after}`,
          caret: start.length,
          ...(detail !== '' && { detail }),
          ...(schema.description !== undefined && { info: schema.description }),
        };
      }),
  );
}

function bracketsOf(schema: Schema): readonly [string, string] {
  const [type] = typesOf(schema);
  if (type === 'object') return ['{', '}'];
  if (type === 'array') return ['[', ']'];
  return type === 'string' ? ['"', '"'] : ['', ''];
}

function values(schema: Schema): readonly Suggestion[] {
  const fixed = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
  const truths = typesOf(schema).includes('boolean') ? [true, false] : [];
  return [...fixed, ...truths].map((value) => ({
    ...plain(JSON.stringify(value), String(value)),
    ...(schema.description !== undefined && { info: schema.description }),
  }));
}

function ownValue({ value, info }: OwnValue): Suggestion {
  return { ...plain(JSON.stringify(value), value), ...(info !== undefined && { info }) };
}

function plain(text: string, label: string): Suggestion {
  return { label, text, caret: text.length };
}

/** What a person is about to write at the cursor: the name of a member of the value at `path`, or the value at `path`. */
interface Cursor {
  readonly expects: 'name' | 'value';
  readonly path: Path;
  /** The text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** Whether a colon follows the name already. */
  readonly hasColon?: boolean;
}

function cursorAt(loose: Loose | undefined, text: string, at: number): Cursor | undefined {
  return loose === undefined ? undefined : within(loose, text, at, []);
}

function within(loose: Loose, text: string, at: number, path: Path): Cursor | undefined {
  if (loose.kind === 'scalar') {
    return { expects: 'value', path, from: loose.from, to: loose.to };
  }
  if (loose.kind === 'object') return inObject(loose, text, at, path);
  const index = loose.items.findIndex((item) => holds(item, at));
  const item = loose.items[index];
  if (item !== undefined) return within(item, text, at, [...path, index]);
  if (!/[[,]\s*$/.test(before(text, at))) return undefined;
  const place = loose.items.filter(({ to }) => to <= at).length;
  return { expects: 'value', path: [...path, place], from: at, to: at };
}

function inObject(object: LooseObject, text: string, at: number, path: Path): Cursor | undefined {
  const named = object.members.find(({ from, to }) => from < at && at <= to);
  if (named !== undefined) {
    const { from, to, valueFrom } = named;
    return { expects: 'name', path, from, to, hasColon: valueFrom !== undefined };
  }
  const member = object.members.findLast(({ to }) => to <= at);
  if (member?.value !== undefined && holds(member.value, at)) {
    return within(member.value, text, at, [...path, member.name]);
  }
  if (awaitsValue(member, text, at)) {
    return { expects: 'value', path: [...path, member.name], from: at, to: at };
  }
  return /[{,]\s*$/.test(before(text, at))
    ? { expects: 'name', path, from: at, to: at, hasColon: false }
    : undefined;
}

function awaitsValue(member: LooseMember | undefined, text: string, at: number): member is LooseMember {
  if (member?.valueFrom === undefined || member.valueFrom > at) return false;
  return text.slice(member.valueFrom, at).trim() === '';
}

/** Inside of the brackets of an object or a list, or in or at the edges of a word. */
function holds(value: Loose, at: number): boolean {
  return value.kind === 'scalar' ? value.from <= at && at <= value.to : value.from < at && at < value.to;
}

/** Enough of the text to see the last sign that is no space. */
function before(text: string, at: number): string {
  return text.slice(Math.max(0, at - 2000), at);
}
