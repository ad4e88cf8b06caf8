import { expect, it } from 'vitest';
import { placesOf } from './json-places.ts';

const TEXT = `{
  "a": {"b": 1,
    "c": [
      "x, \\"{ y",
      {"d": null}
    ]
  },

  "a.b": true, "e": []
}`;

it('finds the line of each member', () => {
  const { lineOf, doubled } = placesOf(TEXT);
  expect(lineOf([])).toBe(1);
  expect(lineOf(['a'])).toBe(2);
  expect(lineOf(['a', 'b'])).toBe(2);
  expect(lineOf(['a', 'c'])).toBe(3);
  expect(lineOf(['a', 'c', 0])).toBe(4);
  expect(lineOf(['a', 'c', 1, 'd'])).toBe(5);
  expect(lineOf(['a.b'])).toBe(9);
  expect(lineOf(['e', 0])).toBe(9);
  expect(lineOf(['a', 'missing', 'deep'])).toBe(2);
  expect(doubled).toEqual([]);
});

it('finds names that an object has twice', () => {
  expect(placesOf('{"a": {"x": 1, "y": 2, "x": 3}, "b": {"x": 1}}').doubled).toEqual([['a', 'x']]);
});

it.each([
  ['{\n"a": 1\n"b": 2\n}', 3],
  ['{\n"a": [1,\n', 2],
  ['{\n"a": secret-value\n}', 2],
  ['{\n"a": "secret\n}', 2],
  ['{\n"a": 1,\n}', 3],
  ['{\n"a" 1\n}', 2],
  ['{\n1: 1\n}', 2],
  ['[\n1\n2]', 3],
  ['[1,\n,2]', 2],
  ['{}\n{}', 2],
  ['{"a": 01}', 1],
  ['', 1],
])('%j stops being JSON on line %s', (text, line) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(() => placesOf(text)).toThrow(expect.objectContaining({ line }));
});
