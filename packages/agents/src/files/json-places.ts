/** The lines of a JSON text on which its members begin, for messages about mistakes in a file. */

export type JsonPath = readonly (string | number)[];

export interface JsonPlaces {
  /** The line of a member, counted from 1, or of the nearest member around it. */
  lineOf(path: JsonPath): number;
  /** Members of one object with the same name, of which a parser takes only the last. */
  readonly doubled: readonly JsonPath[];
}

const TOKEN = /"(?:[^"\\\n]|\\.)*"|[[\]{}:,"]|[^\s[\]{}:,"]+/g;

interface Token {
  readonly text: string;
  readonly line: number;
}

interface Walk {
  readonly tokens: readonly Token[];
  readonly lastLine: number;
  readonly lines: Map<string, number>;
  readonly doubled: JsonPath[];
  at: number;
}

/**
 * The line of the first character that JSON does not allow, or the last line of a text that ends too early. The
 * message of a parser would repeat the text.
 */
export class BrokenJson extends Error {
  readonly line: number;

  constructor(line: number) {
    super(`line ${line} is not JSON`);
    this.line = line;
  }
}

/** Throws a `BrokenJson` if the text is not JSON. */
export function placesOf(text: string): JsonPlaces {
  let line = 1;
  let from = 0;
  const tokens = [...text.matchAll(TOKEN)].map((found) => {
    line += text.slice(from, found.index).split('\n').length - 1;
    from = found.index;
    return { text: found[0], line };
  });
  const walk: Walk = {
    tokens,
    lastLine: text.trimEnd().split('\n').length,
    lines: new Map(),
    doubled: [],
    at: 0,
  };
  visit(walk, []);
  const rest = walk.tokens[walk.at];
  if (rest !== undefined) throw new BrokenJson(rest.line);
  return {
    lineOf(path) {
      for (let length = path.length; length >= 0; length -= 1) {
        const found = walk.lines.get(keyOf(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return 1;
    },
    doubled: walk.doubled,
  };
}

/** The number of an item may also be given as text. */
function keyOf(path: JsonPath): string {
  return JSON.stringify(path.map(String));
}

function visit(walk: Walk, path: JsonPath, line = walk.tokens[walk.at]?.line ?? 1): void {
  const key = keyOf(path);
  if (walk.lines.has(key)) walk.doubled.push(path);
  walk.lines.set(key, line);
  const open = next(walk);
  if (open.text === '{') visitItems(walk, '}', () => visitMember(walk, path));
  else if (open.text === '[') visitItems(walk, ']', (index) => visit(walk, [...path, index]));
  else scalar(open);
}

function visitMember(walk: Walk, path: JsonPath): void {
  const token = next(walk);
  const name = scalar(token);
  const colon = next(walk);
  if (typeof name !== 'string') throw new BrokenJson(token.line);
  if (colon.text !== ':') throw new BrokenJson(colon.line);
  visit(walk, [...path, name], token.line);
}

function visitItems(walk: Walk, close: string, item: (index: number) => void): void {
  if (walk.tokens[walk.at]?.text === close) {
    next(walk);
    return;
  }
  for (let index = 0; ; index += 1) {
    item(index);
    const token = next(walk);
    if (token.text === close) return;
    if (token.text !== ',') throw new BrokenJson(token.line);
  }
}

function scalar({ text, line }: Token): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BrokenJson(line);
  }
}

function next(walk: Walk): Token {
  const token = walk.tokens[walk.at];
  if (token === undefined) throw new BrokenJson(walk.lastLine);
  walk.at += 1;
  return token;
}
