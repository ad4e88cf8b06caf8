import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { searchFor } from './needles.ts';

const needles = (...texts: readonly string[]) => texts.map((text) => ({ text, label: `<${text}>` }));

/** Every place that a needle covers, found by trying all needles everywhere. */
function coveredIn(text: string, texts: readonly string[]): ReadonlySet<number> {
  const covered = new Set<number>();
  for (const needle of texts) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      for (let place = at; place < at + needle.length; place += 1) covered.add(place);
    }
  }
  return covered;
}

const letters = fc.constantFrom('a', 'b', 'c');
const texts = fc.array(fc.string({ unit: letters, minLength: 2, maxLength: 6 }), {
  minLength: 1,
  maxLength: 6,
});

it('finds exactly the places that needles cover', () => {
  fc.assert(
    fc.property(texts, fc.string({ unit: letters, maxLength: 40 }), (found, text) => {
      const places = searchFor(needles(...new Set(found)))
        .matches(text)
        .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
      expect(new Set(places)).toEqual(coveredIn(text, found));
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
    }),
  );
});

it('knows how much of the end of a text may be the beginning of a needle', () => {
  fc.assert(
    fc.property(texts, fc.string({ unit: letters, maxLength: 20 }), (found, text) => {
      const longest = Math.max(...found.map((one) => one.length)) - 1;
      let expected = Math.min(longest, text.length);
      while (expected > 0 && !found.some((one) => one.startsWith(text.slice(-expected)))) expected -= 1;
      expect(searchFor(needles(...new Set(found))).openEnd(text)).toBe(expected);
    }),
  );
});

it('gives needles that overlap the label of the longest', () => {
  expect(searchFor(needles('abcd', 'cdefgh', 'gh')).matches('xabcdefghx')).toEqual([
    { from: 1, to: 9, label: '<cdefgh>' },
  ]);
});

describe('needles and a text that were chosen to make the search slow', () => {
  const LONG = 'a'.repeat(4000);
  // The short needle makes the window short, so that each place of the text may be the beginning of a long one.
  const many = searchFor(needles('short-one', ...Array.from({ length: 500 }, (_, i) => `${LONG}${i}`)));

  it('are not compared without end: the beginnings are taken for the needles', () => {
    const text = 'a'.repeat(100_000);
    const [first, ...others] = many.matches(`${text} end`);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ to: 100_000 });
    expect(first?.from).toBeLessThan(10_000);
  });

  it('hold back the end of the text', () => {
    expect(many.openEnd(`${'a'.repeat(3000)}!`)).toBe(3001);
  });

  it('are compared as usual where the text is short', () => {
    const few = searchFor(needles(...Array.from({ length: 9 }, (_, i) => `${LONG}${i}`)));
    expect(few.matches(`x${LONG}7`)).toEqual([{ from: 1, to: 4002, label: `<${LONG}7>` }]);
    expect(few.matches(`${'a'.repeat(100)}!`)).toEqual([]);
  });
});
