/**
 * Reads the part of YAML that the files in `deploy` use: mappings and lists in block style, plain and double-quoted
 * texts, anchors of mappings with `<<`, and several documents. It refuses everything else, so that it never reads a
 * file differently from a complete parser.
 */

export type Yaml = string | number | boolean | null | readonly Yaml[] | { readonly [key: string]: Yaml };

interface Line {
  readonly indent: number;
  readonly text: string;
  readonly number: number;
}

export function documentsIn(file: string): readonly Yaml[] {
  const documents: Line[][] = [[]];
  for (const [at, line] of file.split('\n').entries()) {
    const text = line.trim();
    if (text === '---') documents.push([]);
    else if (text !== '' && !text.startsWith('#'))
      documents.at(-1)?.push({ indent: line.length - line.trimStart().length, text, number: at + 1 });
  }
  return documents.map((lines) => {
    const left = [...lines];
    const value = blockIn(left, 0, new Map());
    if (left[0] !== undefined) throw problem(left[0], 'is not indented as the lines before it');
    return value;
  });
}

type Anchors = Map<string, Yaml>;

/** Takes the lines of one mapping or list, all of which have this indent. */
function blockIn(left: Line[], indent: number, anchors: Anchors): Yaml {
  return left[0]?.text.startsWith('- ') ? listIn(left, indent, anchors) : mappingIn(left, indent, anchors);
}

function listIn(left: Line[], indent: number, anchors: Anchors): Yaml {
  const items: Yaml[] = [];
  for (let line = left[0]; line?.indent === indent && line.text.startsWith('- '); line = left[0]) {
    const text = line.text.slice(2);
    const inner = { indent: indent + 2, text, number: line.number };
    left.shift();
    if (!KEY.test(text)) items.push(scalar(inner));
    else {
      left.unshift(inner);
      items.push(mappingIn(left, indent + 2, anchors));
    }
  }
  return items;
}

const KEY = /^([\w./<-]+):(?: (.*))?$/;

function mappingIn(left: Line[], indent: number, anchors: Anchors): Yaml {
  const members = new Map<string, Yaml>();
  for (let line = left[0]; line?.indent === indent; line = left[0]) {
    const [, key, rest = ''] = KEY.exec(line.text) ?? [];
    if (key === undefined || members.has(key)) throw problem(line, 'is no new member of its mapping');
    left.shift();
    if (key === '<<') {
      for (const [name, value] of Object.entries(merged(line, rest, anchors))) members.set(name, value);
      continue;
    }
    const [, anchor] = /^&(\w+)$/.exec(rest) ?? [];
    const value =
      rest === '' || anchor !== undefined ? below(left, indent, anchors) : scalar({ ...line, text: rest });
    if (anchor !== undefined) anchors.set(anchor, value);
    members.set(key, value);
  }
  return Object.fromEntries(members);
}

/** The block below a key. A key with nothing below it is null. */
function below(left: Line[], indent: number, anchors: Anchors): Yaml {
  const next = left[0];
  return next !== undefined && next.indent > indent ? blockIn(left, next.indent, anchors) : null;
}

function merged(line: Line, rest: string, anchors: Anchors): Readonly<Record<string, Yaml>> {
  const value = anchors.get(rest.replace(/^\*/, ''));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw problem(line, 'names no mapping with an anchor');
  return value as Readonly<Record<string, Yaml>>;
}

function scalar(line: Line): Yaml {
  const { text } = line;
  if (text.startsWith('"')) return JSON.parse(text);
  if (text === 'true' || text === 'false') return text === 'true';
  // These have a meaning of their own in YAML, so they have to be between quotes.
  if (/^[&*!|>'%@`{[,?]|^(?:- |true$|false$|yes$|no$|on$|off$|null$|~$)|: | #|:$/i.test(text))
    throw problem(line, 'has a text that YAML reads otherwise');
  return /^\d+$/.test(text) ? Number(text) : text;
}

function problem({ number, text }: Line, what: string): Error {
  return new Error(`Line ${number} ${what}: ${text}`);
}
