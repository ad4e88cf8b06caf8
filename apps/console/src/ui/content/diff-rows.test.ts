import { expect, it } from 'vitest';
import { type DiffRow, diffRows } from './diff-view.tsx';

const MARKS = { same: ' ', removed: '-', added: '+', skipped: '~' } as const;

function drawn(rows: readonly DiffRow[] | undefined): readonly string[] | undefined {
  return rows?.map((row) => {
    const text =
      row.side === 'skipped'
        ? String(row.count)
        : row.parts.map((part) => (part.changed ? `[${part.text}]` : part.text)).join('');
    return `${MARKS[row.side]}${text}`;
  });
}

it.each([
  ['a changed word', 'one two\nb', 'one three\nb', ['-one [two]', '+one [three]', ' b']],
  ['an added line', 'a', 'a\nb', [' a', '+b']],
  ['a removed line', 'a\nb', 'b', ['-a', ' b']],
  ['more lines in the place of one', 'a', 'b\nc', ['-a', '+b', '+c']],
  ['an empty text', '', 'a', ['+a']],
  ['an end of line at the end', 'a\n', 'a', [' a']],
])('shows %s', (_, before, after, rows) => {
  expect(drawn(diffRows(before, after))).toEqual(rows);
});

it('leaves out equal lines that are far from a change', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const after = lines.with(10, 'other');
  expect(drawn(diffRows(lines.join('\n'), after.join('\n')))).toEqual([
    '~7',
    ' line 7',
    ' line 8',
    ' line 9',
    '-[line 10]',
    '+[other]',
    ' line 11',
    ' line 12',
    ' line 13',
    '~6',
  ]);
});

it('gives up on texts that differ everywhere', () => {
  const many = (name: string) => Array.from({ length: 1_000 }, (_, index) => `${name} ${index}`).join('\n');
  expect(diffRows(many('a'), many('b'))).toBeUndefined();
});
