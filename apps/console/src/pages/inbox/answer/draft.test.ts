import { expect, it } from 'vitest';
import { draftOf, readDraft } from './draft.ts';

it.each([
  ['a text', 'a\nb', { kind: 'text', text: 'a\nb' }],
  ['an object with one text', { text: 'a' }, { kind: 'text', text: 'a', member: 'text' }],
  ['an object with two members', { a: 'x', b: 1 }, { kind: 'json', text: '{\n  "a": "x",\n  "b": 1\n}' }],
  ['a list', ['a'], { kind: 'json', text: '[\n  "a"\n]' }],
])('edits %s', (_, artifact, draft) => {
  expect(draftOf(artifact)).toEqual(draft);
});

it.each([
  ['a text', 'a', 'b', { value: 'b' }],
  ['the only member', { text: 'a' }, 'b', { value: { text: 'b' } }],
  ['a member that JSON would change', { text: 'a' }, '{"x"', { value: { text: '{"x"' } }],
  ['JSON', { a: 1, b: 2 }, '{"a": 3}', { value: { a: 3 } }],
])('reads %s', (_, artifact, text, read) => {
  expect(readDraft(draftOf(artifact), text, artifact)).toEqual(read);
});

it.each(['{', '[1]', '"a"', ''])('refuses %j in the place of an object', (text) => {
  const artifact = { a: 1, b: 2 };
  expect(readDraft(draftOf(artifact), text, artifact)).toHaveProperty('problem');
});
