import type { Loose, LooseMember, LooseObject, Path } from './loose-json.ts';

/** What a person is about to write at the cursor: the name of a member of the value at `path`, or the value at `path`. */
export interface Cursor {
  readonly expects: 'name' | 'value';
  readonly path: Path;
  /** The text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** Whether a colon follows the name already. */
  readonly hasColon?: boolean;
}

export function cursorAt(loose: Loose | undefined, text: string, at: number): Cursor | undefined {
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
