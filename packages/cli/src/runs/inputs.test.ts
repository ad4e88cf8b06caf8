import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { inputsOf, isAmbiguous } from './inputs.ts';
import { suggestion } from './known-names.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'baton-inputs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'inputs.json'), text);
  return join(folder, 'inputs.json');
}

it('reads values as JSON where they are JSON, and as text otherwise', () => {
  const input = ['topic=owls', 'count=3', 'version="2.0"', 'tags=["a"]', 'note=a=b', 'empty='];
  expect(inputsOf({ input })).toEqual({
    topic: 'owls',
    count: 3,
    version: '2.0',
    tags: ['a'],
    note: 'a=b',
    empty: '',
  });
});

it('keeps the value of a variable that holds a text', () => {
  const input = ['version=2.0', 'count=3', 'quoted="2.0"'];
  expect(inputsOf({ input }, new Set(['version', 'quoted']))).toEqual({
    version: '2.0',
    count: 3,
    quoted: '2.0',
  });
  expect(isAmbiguous({ input })).toBe(true);
  expect(isAmbiguous({ input: ['topic=owls', 'quoted="2.0"'] })).toBe(false);
});

it('adds single values to those of a file', () => {
  expect(inputsOf({ inputFile: fileWith('{"a": 1, "b": 2}'), input: ['b=3'] })).toEqual({ a: 1, b: 3 });
});

it.each([
  ['[1]', /holds no JSON object/],
  ['{', /is not JSON/],
])('refuses a file with %s', (text, message) => {
  expect(() => inputsOf({ inputFile: fileWith(text) })).toThrow(message);
});

it.each([
  ['vetted-reprot', 'vetted-report'],
  ['vetted', 'vetted-report'],
  ['hallo', 'hello'],
  ['something-else', undefined],
  ['', undefined],
])('for %j the suggestion is %s', (typed, expected) => {
  expect(suggestion(typed, ['hello', 'notebook', 'vetted-report'])).toBe(expected);
});
