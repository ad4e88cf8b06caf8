/** The lines of a JSON text on which its members begin, for messages about mistakes in a file. */

export type JsonPath = readonly (string | number)[];

export interface JsonPlaces {
  /** The line of a member, counted from 1, or of the nearest member around it. */
  lineOf(path: JsonPath): number;
  /** Members of one object with the same name, of which a parser takes only the last. */
  readonly doubled: readonly JsonPath[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g;

interface Walk {
  readonly tokens: readonly { readonly text: string; readonly line: number }[];
  readonly lines: Map<string, number>;
  readonly doubled: JsonPath[];
  at: number;
}

/** Of a text that is valid JSON. */
export function placesOf(text: string): JsonPlaces {
  let line = 1;
  let from = 0;
  const tokens = [...text.matchAll(TOKEN)].map((found) => {
    line += text.slice(from, found.index).split('\n').length - 1;
    from = found.index;
    return { text: found[0], line };
  });
  const walk: Walk = { tokens, lines: new Map(), doubled: [], at: 0 };
  visit(walk, []);
  return {
    lineOf(path) {
      for (let length = path.length; length >= 0; length -= 1) {
        const found = walk.lines.get(JSON.stringify(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return 1;
    },
    doubled: walk.doubled,
  };
}

function visit(walk: Walk, path: JsonPath, line = walk.tokens[walk.at]?.line ?? 1): void {
  const key = JSON.stringify(path);
  if (walk.lines.has(key)) walk.doubled.push(path);
  walk.lines.set(key, line);
  const open = next(walk).text;
  if (open !== '{' && open !== '[') return;
  const close = open === '{' ? '}' : ']';
  for (let index = 0; peek(walk) !== close; index += 1) {
    if (peek(walk) === ',') next(walk);
    if (open === '[') {
      visit(walk, [...path, index]);
      continue;
    }
    const name = next(walk);
    next(walk);
    visit(walk, [...path, JSON.parse(name.text) as string], name.line);
  }
  next(walk);
}

function peek({ tokens, at }: Walk): string | undefined {
  return tokens[at]?.text;
}

function next(walk: Walk): { readonly text: string; readonly line: number } {
  const token = walk.tokens[walk.at];
  if (token === undefined) throw new SyntaxError('the text is not valid JSON');
  walk.at += 1;
  return token;
}

/** The line on which a text stops being JSON, or undefined if it is JSON. */
export function brokenLine(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    // The message also repeats a part of the text, which is not passed on.
    const [, position] = /at position (\d+)/.exec(String(error)) ?? [];
    return text.slice(0, position === undefined ? text.length : Number(position)).split('\n').length;
  }
}
