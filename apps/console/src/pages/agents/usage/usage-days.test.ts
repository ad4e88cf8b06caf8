import { expect, it } from 'vitest';
import { totalOf } from './usage-days.ts';

it('adds up days, and has a cost only if a price is known', () => {
  const day = { day: '2026-01-01', inputTokens: 10, outputTokens: 2, toolCalls: 1 };
  expect(totalOf([day, day])).toEqual({ inputTokens: 20, outputTokens: 4, toolCalls: 2 });
  expect(totalOf([day, { ...day, costUsd: 0.5 }])).toMatchObject({ costUsd: 0.5 });
  expect(totalOf([])).toEqual({ inputTokens: 0, outputTokens: 0, toolCalls: 0 });
});
