import type { TokenUsage } from '@baton/engine/ports';
import { calcPrice } from '@pydantic/genai-prices';
import type { ModelTarget, ProviderKind, TokenPrices } from './models-config.ts';
import { nameOf } from './models-config.ts';

/** Estimates the cost of a call. */

interface Priced extends ModelTarget {
  readonly kind: ProviderKind;
  /** A model at another address than that of the vendor has no price in the table. */
  readonly elsewhere: boolean;
}

const MILLION = 1_000_000;
/** A billionth of a dollar: the table has floating-point numbers, whose last digits mean nothing. */
const PRECISION = 1_000_000_000;

/**
 * In US dollars, by the operator's prices or else by the table of published prices. `undefined` when there is
 * no price: an unknown cost is not 0.
 */
export function costOf(
  usage: TokenUsage,
  priced: Priced,
  own: Readonly<Record<string, TokenPrices>>,
  at: Date,
): number | undefined {
  const name = nameOf(priced);
  const cost = Object.hasOwn(own, name) ? ownCost(usage, own[name]) : tableCost(usage, priced, at);
  return cost === undefined || !Number.isFinite(cost) || cost < 0
    ? undefined
    : Math.round(cost * PRECISION) / PRECISION;
}

function ownCost(usage: TokenUsage, prices: TokenPrices | undefined): number | undefined {
  if (prices === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const plain = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const { input, output, cacheRead = input, cacheWrite = input } = prices;
  return (
    (plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) /
    MILLION
  );
}

function tableCost(usage: TokenUsage, { kind, model, elsewhere }: Priced, at: Date): number | undefined {
  if (elsewhere || kind === 'openai-compatible' || kind === 'scripted') return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  try {
    const result = calcPrice(
      {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        ...(cacheReadTokens !== undefined && { cache_read_tokens: cacheReadTokens }),
        ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
      },
      model,
      { providerId: kind, timestamp: at },
    );
    // A table without a price for these tokens gives 0.
    return result && result.total_price > 0 ? result.total_price : undefined;
  } catch {
    // The package throws for numbers that contradict each other.
    return undefined;
  }
}
