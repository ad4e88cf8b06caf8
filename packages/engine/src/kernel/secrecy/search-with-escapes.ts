import { unescaped } from './escapes.ts';
import { type Match, type Needle, type Search, searchFor } from './needles.ts';

/**
 * Searches a text as it is, and once more without its escapes if it has some. Most texts have none, so most texts
 * are searched once.
 */
export function searchWithEscapes(needles: readonly Needle[]): Search {
  const plain = searchFor(needles);
  const bare = new Map(needles.map(({ text, label }) => [unescaped(text).text, label]));
  const inner = searchFor([...bare].map(([text, label]) => ({ text, label })));

  return {
    matches(text) {
      const found = plain.matches(text);
      if (!text.includes('\\u')) return found;
      const without = unescaped(text);
      const more = inner
        .matches(without.text)
        .map(({ from, to, label }) => ({ from: without.at(from), to: without.at(to), label }));
      return more.length === 0 ? found : joined([...found, ...more]);
    },
    openEnd(text) {
      const open = plain.openEnd(text);
      if (!text.includes('\\')) return open;
      const without = unescaped(text);
      const begin = without.at(without.text.length - inner.openEnd(without.text));
      return Math.max(open, text.length - begin);
    },
  };
}

/** Matches that overlap become one match, with the label of the longest. */
function joined(matches: readonly Match[]): readonly Match[] {
  const found: Match[] = [];
  let length = 0;
  for (const match of matches.toSorted((one, other) => one.from - other.from)) {
    const size = match.to - match.from;
    const before = found.at(-1);
    if (before === undefined || match.from >= before.to) {
      found.push(match);
      length = size;
      continue;
    }
    const label = size > length ? match.label : before.label;
    found[found.length - 1] = { from: before.from, to: Math.max(match.to, before.to), label };
    length = Math.max(size, length);
  }
  return found;
}
