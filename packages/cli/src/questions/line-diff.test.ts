import { expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import { diffText } from './line-diff.ts';

const plain = paintFor(false);

it.each([
  ['a changed line', 'a\nb\nc', 'a\nB\nc', '  a\n- b\n+ B\n  c'],
  ['a line at the end', 'a', 'a\nb', '  a\n+ b'],
  ['a line at the beginning', 'a\nb', 'b', '- a\n  b'],
  ['equal texts', 'a\nb', 'a\nb', ''],
  ['everything', 'a', 'b', '- a\n+ b'],
])('shows %s', (_, before, after, shown) => {
  expect(diffText(before, after, plain)).toBe(shown);
});

it('shows three lines around a change', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const changed = lines.with(10, 'other');
  expect(diffText(lines.join('\n'), changed.join('\n'), plain)).toBe(
    '  line 7\n  line 8\n  line 9\n- line 10\n+ other\n  line 11\n  line 12\n  line 13',
  );
});
