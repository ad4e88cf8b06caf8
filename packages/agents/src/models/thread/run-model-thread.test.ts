import { expect, it } from 'vitest';
import type { FromModelThread } from './messages.ts';
import { gatheredNews } from './run-model-thread.ts';

function gathering() {
  const told: FromModelThread[] = [];
  const due: (() => void)[] = [];
  const news = gatheredNews(
    (message) => void told.push(message),
    (flush) => void due.push(flush),
  );
  return { ...news, told, turn: () => due.splice(0).forEach((flush) => void flush()) };
}

it('joins what all calls have said into one message, each in its order', () => {
  const { said, answered, told, turn } = gathering();
  said(1, 'reasoning', 'I ');
  said(2, 'text', 'Yes.');
  said(1, 'reasoning', 'count.');
  said(1, 'text', 'It is ');
  said(1, 'text', '42.');
  answered(2, '{}');
  expect(told).toEqual([]);
  turn();
  expect(told).toEqual([
    {
      said: [1, 'reasoning', 'I count.', 1, 'text', 'It is 42.', 2, 'text', 'Yes.'],
      answers: [2, '{}'],
    },
  ]);
});

it('tells nothing twice', () => {
  const { said, answered, told, turn } = gathering();
  said(1, 'text', 'one');
  turn();
  said(1, 'text', 'two');
  answered(1, '{}');
  turn();
  turn();
  expect(told).toEqual([
    { said: [1, 'text', 'one'], answers: [] },
    { said: [1, 'text', 'two'], answers: [1, '{}'] },
  ]);
});
