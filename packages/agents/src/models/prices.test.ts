import { expect, it } from 'vitest';
import { costAt, ownPrices } from './prices.ts';

const USAGE = { inputTokens: 1000, outputTokens: 1000 };

it('prices are stated for a provider and a model', () => {
  const prices = { input: 1, output: 2 };
  const stated = { 'local/llama3': prices };
  expect(ownPrices(stated, { provider: 'local', model: 'llama3' })).toEqual(prices);
  expect(ownPrices(stated, { provider: 'local', model: 'other' })).toBeUndefined();
  expect(ownPrices({}, { provider: 'constructor', model: '' })).toBeUndefined();
});

it('tokens of the cache have their own price, or else that of the others', () => {
  expect(costAt({ input: 1, output: 2, cacheRead: 0.5 }, USAGE)).toBe(0.003);
  expect(costAt({ input: 1, output: 2, cacheRead: 0.5 }, { ...USAGE, cacheReadTokens: 1000 })).toBe(0.0025);
  expect(costAt({ input: 1, output: 2 }, { ...USAGE, cacheReadTokens: 1000 })).toBe(0.003);
});

it('a cost may be 0 if the operator says so', () => {
  expect(costAt({ input: 0, output: 0 }, USAGE)).toBe(0);
});

it('a cost is rounded', () => {
  expect(costAt({ input: 0.1, output: 0.2 }, { inputTokens: 1, outputTokens: 1 })).toBe(0.0000003);
});

it('numbers that make no cost have none', () => {
  expect(costAt({ input: 1, output: 2 }, { inputTokens: Number.NaN, outputTokens: 1 })).toBeUndefined();
});

it('cached tokens count like others where the operator names no price for them', () => {
  const cached = { ...USAGE, cacheReadTokens: 400, cacheWriteTokens: 600 };
  expect(costAt({ input: 1, output: 2 }, cached)).toBe(0.003);
});

it('a cost is never negative, whatever numbers a vendor sends', () => {
  const prices = { input: 1, output: 2, cacheRead: 0.5 };
  expect(costAt(prices, { inputTokens: 10, outputTokens: 0, cacheReadTokens: 50 })).toBe(0.000025);
  expect(costAt(prices, { inputTokens: -1000, outputTokens: -1 })).toBeUndefined();
});
