import { expect, it } from 'vitest';
import { rangeOf, readLoose, writtenValue } from './loose-json.ts';

it.each(['{"a":[1,{"b":null}],"c":"x\\"y"}', '[]', '"text"', '{"a":{"a":true},"a":2}', '-1.5e3'])(
  'reads %s as JSON does',
  (text) => {
    expect(writtenValue(readLoose(text))).toEqual(JSON.parse(text));
  },
);

it.each([
  ['{ "a": 1 "b": 2', { a: 1, b: 2 }],
  ['{ "a": [1, 2 , "b": 3 }', { a: [1, 2, 'b', 3] }],
  ['[{ "a": ]', [{ a: undefined }]],
  ['{ "a', { a: undefined }],
  ['', undefined],
])('reads what is written of %s', (text, expected) => {
  expect(writtenValue(readLoose(text))).toEqual(expected);
});

it('finds the text of a value, or of the nearest value around it', () => {
  const text = '{ "nodes": [ { "id": "a" }, { "id": "b" } ] }';
  const found = (...path: (string | number)[]) => {
    const { from, to } = rangeOf(readLoose(text), path);
    return text.slice(from, to);
  };
  expect(found('nodes', 1, 'id')).toBe('"b"');
  expect(found('nodes', 0)).toBe('{ "id": "a" }');
  expect(found('nodes', '0', 'id')).toBe('"a"');
  expect(found('nodes', 0, 'typeId')).toBe('{');
  expect(found('nodes', 7)).toBe('[');
  expect(found()).toBe(text);
});
