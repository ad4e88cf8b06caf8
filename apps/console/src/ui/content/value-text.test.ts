import { expect, it } from 'vitest';
import { memberChanges } from './value-text.ts';

it('compares objects member by member', () => {
  expect(memberChanges({ text: 'a\nb', kept: 1, gone: [1] }, { text: 'a', kept: 1, added: null })).toEqual([
    { name: 'text', before: 'a\nb', after: 'a' },
    { name: 'gone', before: '[\n  1\n]', after: '' },
    { name: 'added', before: '', after: 'null' },
  ]);
});

it('compares other values as a whole', () => {
  expect(memberChanges([1], [2])).toEqual([{ before: '[\n  1\n]', after: '[\n  2\n]' }]);
  expect(memberChanges('a', 'a')).toEqual([]);
});

it('does not mistake a member of every object for a value', () => {
  expect(memberChanges({}, { constructor: 'x' })).toEqual([{ name: 'constructor', before: '', after: 'x' }]);
});
