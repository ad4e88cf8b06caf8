/** Finds places in a JSON text, for messages that name a line. */

/** A path from the root, for example `["classes", "writing"]`. */
export type Path = readonly string[];

interface JsonLines {
  /** The line of a member, or of its nearest parent that exists. Lines begin at 1. */
  lineOf(path: Path): number;
  /** Members that an object has twice. JSON parsers keep only the last of them. */
  readonly repeated: readonly Path[];
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s"{}[\],:]+/g;

interface Open {
  readonly path: Path;
  /** The number of the next item of a list; `undefined` for an object. */
  item: number | undefined;
  /** The next text names a member. */
  wantsName: boolean;
  next: string;
}

/** The text must be valid JSON. */
export function jsonLines(text: string): JsonLines {
  const lines = new Map<string, number>([[keyOf([]), 1]]);
  const repeated: Path[] = [];
  const open: Open[] = [];
  let line = 1;

  const note = (path: Path) => {
    if (lines.has(keyOf(path))) repeated.push(path);
    lines.set(keyOf(path), line);
  };
  const pathOfValue = (): Path => {
    const parent = open.at(-1);
    if (parent === undefined) return [];
    if (parent.item === undefined) return [...parent.path, parent.next];
    const path = [...parent.path, String(parent.item)];
    if (!lines.has(keyOf(path))) lines.set(keyOf(path), line);
    return path;
  };

  for (const [token] of text.matchAll(TOKEN)) {
    const parent = open.at(-1);
    if (token === '\n') line += 1;
    else if (token === '{') open.push({ path: pathOfValue(), item: undefined, wantsName: true, next: '' });
    else if (token === '[') open.push({ path: pathOfValue(), item: 0, wantsName: false, next: '' });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',' && parent !== undefined) {
      if (parent.item === undefined) parent.wantsName = true;
      else parent.item += 1;
    } else if (parent?.wantsName && token !== ':') {
      parent.next = JSON.parse(token) as string;
      parent.wantsName = false;
      note([...parent.path, parent.next]);
    } else if (token !== ':') pathOfValue();
  }

  return {
    repeated,
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const found = lines.get(keyOf(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return 1;
    },
  };
}

function keyOf(path: Path): string {
  return JSON.stringify(path);
}

/** The line at which a JSON parser stopped, from the position that its message names. */
export function lineOfSyntaxError(text: string, message: string): number {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  // A text that ends too early is reported behind its last line.
  const end = text.trimEnd().length;
  return text.slice(0, Math.min(end, Number(position ?? end))).split('\n').length;
}
