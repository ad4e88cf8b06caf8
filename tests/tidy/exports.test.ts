import { describe, expect, it } from 'vitest';
import { consoleSources, parse, sources, users } from './sources.ts';
import { entryOf, unusedExports } from './unused-exports.ts';

/**
 * These indexes may export names that no file here uses: the protocol and the client are public interfaces, and the
 * ports of the engine are the interface that a store in another package implements. A host loads that of the package for
 * conformance suites by its address.
 */
const PUBLIC = [
  'protocol/src/index.ts',
  'engine/src/ports/index.ts',
  'client/src/index.ts',
  'client/src/builder/index.ts',
  'client/src/testing/index.ts',
  'conformance/src/index.ts',
];

/** The unused exports of `a/src/one.ts` and `a/src/index.ts`, while another file has this text. */
const unusedBeside = (text: string, index = '', publicIndexes: readonly string[] = []) => {
  const one = 'export const value = 1;\nexport interface Shape {}\nexport function act() {}\n';
  const files = [parse('a/src/one.ts', one), parse('a/src/index.ts', index), parse('a/src/two.ts', text)];
  return unusedExports(files, publicIndexes).map((unused) => unused.replace('a/src/', ''));
};

describe('an unused export', () => {
  it.each([
    ['no import', 'const value = 1;', ['value', 'Shape', 'act']],
    ['an import', "import { value, act as other } from './one.ts';", ['Shape']],
    ['an import of a type', "import type { Shape } from './one.ts';", ['value', 'act']],
    ['a type that is imported in place', "let x: import('./one.ts').Shape;", ['value', 'act']],
    ['an import of all names', "import * as one from './one.ts';", []],
    ['a late import that is taken apart', "const { act } = await import('./one.ts');", ['value', 'Shape']],
    ['a member of a late import', "(await import('./one.ts')).value;", ['Shape', 'act']],
    ['a late import as a whole', "const one = import('./one.ts');", []],
    ['a compiled form', "import { value } from '../dist/one.js';", ['Shape', 'act']],
    ['another file', "import { value, Shape, act } from './three.ts';", ['value', 'Shape', 'act']],
    ['an import for its effects', "import './one.ts';", ['value', 'Shape', 'act']],
  ])('is found beside %s', (_, text, names) => {
    expect(unusedBeside(text)).toEqual(names.map((name) => `one.ts: ${name}`));
  });

  it.each([
    ["export { value as kept, act } from './one.ts';", ['one.ts: Shape', 'one.ts: act', 'index.ts: act']],
    ["export * from './one.ts';", ['one.ts: value', 'one.ts: Shape', 'one.ts: act']],
    ["export * from './one.ts';\nexport const kept = 1;", ['one.ts: value', 'one.ts: Shape', 'one.ts: act']],
    ["import { value } from './one.ts';\nexport { value as kept };", ['one.ts: Shape', 'one.ts: act']],
  ])('is found through %s', (index, unused) => {
    expect(unusedBeside("import { kept } from './index.ts';", index)).toEqual(unused);
  });

  it('is allowed in a public index, and then used', () => {
    const index = "export { act, type Shape } from './one.ts';";
    expect(unusedBeside('', index, ['a/src/index.ts'])).toEqual(['one.ts: value']);
  });
});

it('the entries of the packages lead to their sources', () => {
  expect(entryOf('@baton/engine')).toBe('engine/src/index.ts');
  expect(entryOf('@baton/engine/ports')).toBe('engine/src/ports/index.ts');
  expect(entryOf('typebox')).toBe(undefined);
});

it('every export is imported by another file', () => {
  expect(unusedExports([...sources, ...consoleSources, ...users], PUBLIC)).toEqual([]);
});
