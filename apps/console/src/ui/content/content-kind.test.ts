import { expect, it } from 'vitest';
import { contentKind } from './content-kind.ts';

it.each([
  ['a sentence', 'All about tides.', '', 'text'],
  ['a sentence with a star', 'Two * three is six', '', 'text'],
  ['a heading', '# Tides\n\nThey come and go.', '', 'markdown'],
  ['a list', 'Facts:\n- one\n- two', '', 'markdown'],
  ['one list mark', '- one', '', 'text'],
  ['bold text', 'It is **really** so.', '', 'markdown'],
  ['a link', 'See [the almanac](https://example.com).', '', 'markdown'],
  ['a patch', '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b', '', 'patch'],
  ['a text whose name is diff', 'small', 'diff', 'text'],
  ['a text whose name is code', 'let a = 1', 'code', 'code'],
  ['a part of a name', 'let a = 1', 'encoder', 'text'],
  ['a type of an artifact', 'plain', 'text/markdown', 'markdown'],
  ['JSON in a text', '{"a": [1]}', '', 'code'],
  ['a brace without JSON', '{a}', '', 'text'],
  ['an object', { a: 1 }, '', 'json'],
  ['null', null, '', 'json'],
] as const)('shows %s', (_, value, name, kind) => {
  expect(contentKind(value, name)).toBe(kind);
});
