import { describe, expect, it } from 'vitest';
import { costOf } from './prices.ts';

const AT = new Date('2026-11-01T00:00:00Z');
const USAGE = { inputTokens: 1000, outputTokens: 1000 };
const SONNET = {
  kind: 'anthropic',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  elsewhere: false,
} as const;

describe('the cost of a call', () => {
  it('follows the table of prices, for dated names too', () => {
    expect(costOf(USAGE, SONNET, {}, AT)).toBe(0.018);
    expect(costOf(USAGE, { ...SONNET, model: 'claude-sonnet-4-5-20250929' }, {}, AT)).toBe(0.018);
  });

  it('is lower for tokens that were read from the cache', () => {
    const cost = costOf({ ...USAGE, cacheReadTokens: 900 }, SONNET, {}, AT);
    expect(cost).toBeGreaterThan(0.015);
    expect(cost).toBeLessThan(0.016);
  });

  it.each([
    ['an unknown model', { ...SONNET, model: 'claude-of-tomorrow-x' }],
    ['a compatible endpoint', { ...SONNET, kind: 'openai-compatible' as const, model: 'gpt-4o' }],
    ['the model of a vendor at another address', { ...SONNET, elsewhere: true }],
    ['the scripted provider', { ...SONNET, kind: 'scripted' as const, model: 'script' }],
  ])('is not known for %s', (_, priced) => {
    expect(costOf(USAGE, priced, {}, AT)).toBeUndefined();
  });

  it('is not known, and does not fail, for numbers that contradict each other', () => {
    expect(costOf({ inputTokens: 1, outputTokens: 1, cacheReadTokens: 50 }, SONNET, {}, AT)).toBeUndefined();
    expect(costOf({ inputTokens: Number.NaN, outputTokens: 1 }, SONNET, {}, AT)).toBeUndefined();
  });

  it('follows the prices of the operator first', () => {
    const own = { 'anthropic/claude-sonnet-4-5': { input: 1, output: 2, cacheRead: 0.5 } };
    expect(costOf(USAGE, SONNET, own, AT)).toBe(0.003);
    expect(costOf({ ...USAGE, cacheReadTokens: 1000 }, SONNET, own, AT)).toBe(0.0025);
    expect(costOf(USAGE, { ...SONNET, model: 'other-model' }, own, AT)).toBeUndefined();
  });

  it('counts cached tokens like others where the operator names no price for them', () => {
    const own = { 'anthropic/claude-sonnet-4-5': { input: 1, output: 2 } };
    const cached = { ...USAGE, cacheReadTokens: 400, cacheWriteTokens: 600 };
    expect(costOf(cached, SONNET, own, AT)).toBe(0.003);
  });

  it('is never negative, whatever numbers a vendor sends', () => {
    const own = { 'anthropic/claude-sonnet-4-5': { input: 1, output: 2, cacheRead: 0.5 } };
    const contradicting = { inputTokens: 10, outputTokens: 0, cacheReadTokens: 50 };
    expect(costOf(contradicting, SONNET, own, AT)).toBe(0.000025);
    expect(costOf({ inputTokens: -1000, outputTokens: -1 }, SONNET, own, AT)).toBeUndefined();
  });

  it('is not known where the table gives 0', () => {
    expect(costOf({ inputTokens: 0, outputTokens: 0 }, SONNET, {}, AT)).toBeUndefined();
  });

  it('may be 0 only if the operator says so', () => {
    const own = { 'local/llama3': { input: 0, output: 0 } };
    const local = { kind: 'openai-compatible', provider: 'local', model: 'llama3', elsewhere: true } as const;
    expect(costOf(USAGE, local, own, AT)).toBe(0);
    expect(costOf(USAGE, { ...local, model: 'toString' }, own, AT)).toBeUndefined();
  });

  it('is rounded', () => {
    const own = { 'local/llama3': { input: 0.1, output: 0.2 } };
    const local = { kind: 'openai-compatible', provider: 'local', model: 'llama3', elsewhere: true } as const;
    expect(costOf({ inputTokens: 1, outputTokens: 1 }, local, own, AT)).toBe(0.0000003);
  });
});
