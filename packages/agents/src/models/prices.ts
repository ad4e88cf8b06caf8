import type { ModelAnswer, TokenUsage } from '@baton/engine/ports';
import { type ModelTarget, nameOf, type TokenPrices } from './models-config.ts';

/** The cost of a call by prices that the operator states, and how a cost is written. */

const MILLION = 1_000_000;
/** A billionth of a dollar: prices are floating-point numbers, whose last digits mean nothing. */
const PRECISION = 1_000_000_000;

/** The prices that the operator states for a model. */
export function ownPrices(
  prices: Readonly<Record<string, TokenPrices>>,
  target: ModelTarget,
): TokenPrices | undefined {
  const name = nameOf(target);
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}

/** In US dollars. */
export function costAt(prices: TokenPrices, usage: TokenUsage): number | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  return rounded(
    (plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) /
      MILLION,
  );
}

/** `undefined` for a number that cannot be a cost. */
export function rounded(cost: number): number | undefined {
  return Number.isFinite(cost) && cost >= 0 ? Math.round(cost * PRECISION) / PRECISION : undefined;
}

export function withCost(answer: ModelAnswer, costUsd: number | undefined): ModelAnswer {
  return costUsd === undefined ? answer : { ...answer, costUsd };
}
