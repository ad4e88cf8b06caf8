/**
 * How many parts a pattern has once its counted repetitions are written out: `(ab{3}){10}` has about 40.
 * Makes one pass over the text. An invalid pattern gets some size; the compiler refuses it later.
 */
export function expandedSize(source: string): number {
  const open: Group[] = [];
  let group: Group = { size: 0, last: 0 };
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    if (char === '(') {
      open.push(group);
      group = { size: 0, last: 0 };
      at += groupHead(source, at);
    } else if (char === ')') {
      const outer = open.pop();
      at += 1;
      if (outer !== undefined) group = withPart(outer, group.size + group.last + 2);
    } else if (isQuantifier(source, at)) {
      const { least, more, length } = quantifier(source, at);
      group = { size: group.size, last: Math.max(1, group.last * least + (group.last + 1) * more) };
      at += length;
    } else {
      const { weight, length } = atom(source, at);
      group = withPart(group, weight);
      at += length;
    }
  }
  for (const outer of open) group = withPart(outer, group.size + group.last);
  return group.size + group.last;
}

interface Group {
  readonly size: number;
  /** The size of the part that a repetition would apply to. */
  readonly last: number;
}

interface Atom {
  readonly weight: number;
  readonly length: number;
}

function withPart(group: Group, weight: number): Group {
  return { size: group.size + group.last, last: weight };
}

/** The length of the text that begins a group: `(`, `(?:`, `(?i:` or `(?P<name>`. */
function groupHead(source: string, at: number): number {
  const head = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:?))?/.exec(source.slice(at, at + 64));
  return head?.[0].length ?? 1;
}

const COUNTED = /^\{(\d{1,9})(?:,(\d{0,9}))?\}/;

function isQuantifier(source: string, at: number): boolean {
  const char = source[at];
  return char === '*' || char === '+' || char === '?' || (char === '{' && countedAt(source, at) !== null);
}

function countedAt(source: string, at: number): RegExpExecArray | null {
  return COUNTED.exec(source.slice(at, at + 24));
}

interface Quantifier {
  readonly least: number;
  /** Optional repetitions. Each of them also costs a branch. */
  readonly more: number;
  readonly length: number;
}

function quantifier(source: string, at: number): Quantifier {
  const counted = source[at] === '{' ? countedAt(source, at) : null;
  if (counted === null) return { least: 0, more: 1, length: 1 };
  const least = Number(counted[1]);
  const length = counted[0].length;
  if (counted[2] === undefined) return { least, more: 0, length };
  const more = counted[2] === '' ? 1 : Math.max(0, Number(counted[2]) - least);
  return { least, more, length };
}

/** The matcher copies the large table of a Unicode class at each use. */
const UNICODE_CLASS = 10;

function atom(source: string, at: number): Atom {
  if (source[at] === '[') return characterClass(source, at);
  return source[at] === '\\' ? escaped(source, at) : { weight: 1, length: 1 };
}

function escaped(source: string, at: number): Atom {
  const next = source[at + 1];
  if (next === 'Q') {
    const end = source.indexOf('\\E', at + 2);
    const length = (end === -1 ? source.length : end) - at - 2;
    return { weight: length, length: length + (end === -1 ? 2 : 4) };
  }
  if (next === 'p' || next === 'P') {
    const name = /^\{[^}]{0,40}\}/.exec(source.slice(at + 2, at + 44))?.[0];
    return { weight: UNICODE_CLASS, length: 2 + (name?.length ?? 1) };
  }
  return { weight: 1, length: 2 };
}

function characterClass(source: string, begin: number): Atom {
  let at = begin + 1;
  let unicode = 0;
  if (source[at] === '^') at += 1;
  if (source[at] === ']') at += 1;
  while (at < source.length && source[at] !== ']') {
    if (source.startsWith('[:', at)) {
      const end = source.indexOf(':]', at);
      at = end === -1 ? source.length : end + 2;
    } else if (source[at] === '\\') {
      const { weight, length } = escaped(source, at);
      if (weight === UNICODE_CLASS) unicode += UNICODE_CLASS;
      at += length;
    } else at += 1;
  }
  const length = Math.min(at + 1, source.length) - begin;
  return { weight: 1 + unicode + (length >>> 4), length };
}
