/**
 * JSON while a person writes it: commas and brackets may be missing. The editor needs to know where the cursor is in the
 * value, and where in the text a value stands.
 */

interface Range {
  readonly from: number;
  readonly to: number;
}

export interface LooseMember extends Range {
  /** The range is that of the name with its quotation marks. */
  readonly name: string;
  /** The place after the colon. Absent before a colon was written. */
  readonly valueFrom?: number;
  readonly value?: Loose;
}

export interface LooseObject extends Range {
  readonly kind: 'object';
  readonly members: readonly LooseMember[];
}

interface LooseList extends Range {
  readonly kind: 'list';
  readonly items: readonly Loose[];
}

interface LooseScalar extends Range {
  readonly kind: 'scalar';
  readonly value: unknown;
}

export type Loose = LooseObject | LooseList | LooseScalar;

interface Token extends Range {
  readonly text: string;
}

const TOKENS = /"(?:[^"\\\n]|\\.)*"?|[{}[\]:,]|[^\s"{}[\]:,]+/g;
/** A value that is deeper is not looked into, so that no text can exhaust the stack. */
const MOST_LEVELS = 200;

export function readLoose(text: string): Loose | undefined {
  const tokens = Array.from(
    text.matchAll(TOKENS),
    (match): Token => ({ text: match[0], from: match.index, to: match.index + match[0].length }),
  );
  return reader(tokens, text.length)();
}

function reader(tokens: readonly Token[], end: number): () => Loose | undefined {
  let next = 0;
  const peek = () => tokens[next];
  const value = (depth: number): Loose | undefined => {
    const token = peek();
    if (token === undefined || /^[}\],:]$/.test(token.text)) return undefined;
    next += 1;
    if (token.text !== '{' && token.text !== '[') {
      return { kind: 'scalar', from: token.from, to: token.to, value: scalarOf(token.text) };
    }
    if (depth > MOST_LEVELS) return { kind: 'scalar', from: token.from, to: token.to, value: undefined };
    return token.text === '{' ? object(token.from, depth) : list(token.from, depth);
  };
  const object = (from: number, depth: number): LooseObject => {
    const members: LooseMember[] = [];
    for (let token = peek(); token !== undefined; token = peek()) {
      // A list that ends here belongs to a value around this object, whose bracket is missing.
      if (token.text === ']') return { kind: 'object', from, to: token.from, members };
      next += 1;
      if (token.text === '}') return { kind: 'object', from, to: token.to, members };
      if (/^[{[:,]$/.test(token.text)) continue;
      const colon = peek()?.text === ':' ? tokens[next++] : undefined;
      const held = colon === undefined ? undefined : value(depth + 1);
      members.push({
        name: String(scalarOf(token.text)),
        from: token.from,
        to: token.to,
        ...(colon !== undefined && { valueFrom: colon.to }),
        ...(held !== undefined && { value: held }),
      });
    }
    return { kind: 'object', from, to: end, members };
  };
  const list = (from: number, depth: number): LooseList => {
    const items: Loose[] = [];
    for (let token = peek(); token !== undefined; token = peek()) {
      if (token.text === '}') return { kind: 'list', from, to: token.from, items };
      if (token.text === ']') {
        next += 1;
        return { kind: 'list', from, to: token.to, items };
      }
      const item = value(depth + 1);
      if (item === undefined) next += 1;
      else items.push(item);
    }
    return { kind: 'list', from, to: end, items };
  };
  return () => value(0);
}

function scalarOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text.replace(/^"/, '').replace(/"$/, '');
  }
}

/** The value as far as it is written. Of two members with one name the last counts, as in JSON. */
export function writtenValue(loose: Loose | undefined): unknown {
  if (loose === undefined) return undefined;
  if (loose.kind === 'scalar') return loose.value;
  if (loose.kind === 'list') return loose.items.map(writtenValue);
  return Object.fromEntries(loose.members.map((member) => [member.name, writtenValue(member.value)]));
}

export type Path = readonly (string | number)[];

/** Where the value at a path stands, or the nearest value around it. */
export function rangeOf(loose: Loose | undefined, path: Path): Range {
  if (loose === undefined) return { from: 0, to: 0 };
  const [first, ...rest] = path;
  if (first === undefined || loose.kind === 'scalar') return { from: loose.from, to: loose.to };
  if (loose.kind === 'list') {
    const item = loose.items[Number(first)];
    return item === undefined ? { from: loose.from, to: loose.from + 1 } : rangeOf(item, rest);
  }
  const member = loose.members.findLast(({ name }) => name === String(first));
  if (member === undefined) return { from: loose.from, to: loose.from + 1 };
  return member.value === undefined ? { from: member.from, to: member.to } : rangeOf(member.value, rest);
}
