import { expect, it } from 'vitest';
import { publishedCost } from './published-prices.ts';

const AT = new Date('2026-11-01T00:00:00Z');
const USAGE = { inputTokens: 1000, outputTokens: 1000 };
const SONNET = { kind: 'anthropic', model: 'claude-sonnet-4-5', elsewhere: false } as const;

it('follows the table of prices, for dated names too', () => {
  expect(publishedCost(USAGE, SONNET, AT)).toBe(0.018);
  expect(publishedCost(USAGE, { ...SONNET, model: 'claude-sonnet-4-5-20250929' }, AT)).toBe(0.018);
});

it('is lower for tokens that were read from the cache', () => {
  const cost = publishedCost({ ...USAGE, cacheReadTokens: 900 }, SONNET, AT);
  expect(cost).toBeGreaterThan(0.015);
  expect(cost).toBeLessThan(0.016);
});

it.each([
  ['an unknown model', { ...SONNET, model: 'claude-of-tomorrow-x' }],
  ['a compatible endpoint', { ...SONNET, kind: 'openai-compatible' as const, model: 'gpt-4o' }],
  ['the model of a vendor at another address', { ...SONNET, elsewhere: true }],
  ['the scripted provider', { ...SONNET, kind: 'scripted' as const, model: 'script' }],
])('is not known for %s', (_, priced) => {
  expect(publishedCost(USAGE, priced, AT)).toBeUndefined();
});

it('is not known, and does not fail, for numbers that contradict each other', () => {
  expect(publishedCost({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 50 }, SONNET, AT)).toBeUndefined();
  expect(publishedCost({ inputTokens: Number.NaN, outputTokens: 1 }, SONNET, AT)).toBeUndefined();
});
