import { expect, it } from 'vitest';
import { widthOf } from '../graph/cells.ts';
import { cutEnd, cutStart, padTo, textWidth } from './text-width.ts';

it.each([
  ['owls', 4],
  ['潮汐', 4],
  ['é', 1],
  ['🦉!', 3],
  ['✓●◆↻│└─', 7],
  ['e\u0301', 1],
  ['👩\u200d🚀', 4],
  ['⚠\ufe0f', 1],
  ['🇫🇮', 2],
  ['\u1112\u1161\u11ab', 2],
  ['한', 2],
  ['⌛', 2],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width);
  expect(textWidth(padTo(text, 10))).toBe(10);
  expect(widthOf(text)).toBe(width);
});

it.each([
  ['owls hunt', 6, 'owls …', '… hunt'],
  ['潮汐潮汐', 5, '潮汐…', '…潮汐'],
  ['owls', 4, 'owls', 'owls'],
  ['owls', 0, '', ''],
])('%s is cut to %i columns', (text, columns, beginning, end) => {
  expect(cutEnd(text, columns)).toBe(beginning);
  expect(cutStart(text, columns)).toBe(end);
});
