/**
 * Searches for text in linear time. The time of the built-in search is the product of both lengths in the
 * worst case, so the built-in search is used only if that product is small.
 */

const SMALL_PRODUCT = 64 * 1024;

export function includesText(text: string, part: string): boolean {
  return indexOfText(text, part, 0) !== -1;
}

export function indexOfText(text: string, part: string, from: number): number {
  if (isSmall(text, part)) return text.indexOf(part, from);
  for (const at of matchesFrom(text, part, from)) return at;
  return -1;
}

/** The last occurrence that begins at or before `from`. */
export function lastIndexOfText(text: string, part: string, from: number): number {
  if (isSmall(text, part)) return text.lastIndexOf(part, from);
  let last = -1;
  for (const at of matchesFrom(text, part, 0)) {
    if (at > from) break;
    last = at;
  }
  return last;
}

export function splitText(text: string, separator: string): string[] {
  if (isSmall(text, separator)) return text.split(separator);
  const pieces: string[] = [];
  let begin = 0;
  for (const at of matchesFrom(text, separator, 0)) {
    if (at < begin) continue;
    pieces.push(text.slice(begin, at));
    begin = at + separator.length;
  }
  pieces.push(text.slice(begin));
  return pieces;
}

/** A part of one character is always small: the built-in search scans the text once. */
function isSmall(text: string, part: string): boolean {
  return part.length <= 1 || text.length < part.length || text.length * part.length <= SMALL_PRODUCT;
}

/** Knuth-Morris-Pratt: after a mismatch the search continues with the longest prefix that still matches. */
function* matchesFrom(text: string, part: string, from: number): Generator<number> {
  const fallback = fallbacks(part);
  let matched = 0;
  for (let at = Math.max(0, from); at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched < part.length) continue;
    yield at + 1 - part.length;
    matched = fallback[matched - 1] ?? 0;
  }
}

/** For each prefix of `part`: the length of the longest shorter prefix that it ends with. */
function fallbacks(part: string): Int32Array {
  const table = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = table[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    table[at] = matched;
  }
  return table;
}
