import type { TokenUsage } from '@baton/engine/ports';
import { calcPrice } from '@pydantic/genai-prices';
import type { ProviderKind } from './models-config.ts';
import { rounded } from './prices.ts';

/** The cost of a call by the table of published prices. The table is large, so it is loaded when it is needed. */

interface Priced {
  readonly kind: ProviderKind;
  readonly model: string;
  /** A model at another address than that of the vendor has no price in the table. */
  readonly elsewhere: boolean;
}

/** In US dollars. `undefined` when there is no price: an unknown cost is not 0. */
export function publishedCost(
  usage: TokenUsage,
  { kind, model, elsewhere }: Priced,
  at: Date,
): number | undefined {
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
    return result && result.total_price > 0 ? rounded(result.total_price) : undefined;
  } catch {
    // The package throws for numbers that contradict each other.
    return undefined;
  }
}
