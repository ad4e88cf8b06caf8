import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { TokenUsage } from '@baton/engine/ports';

/** The tokens as the provider counts them. `undefined` when it does not. */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenUsage | undefined {
  const input = count(inputTokens.total);
  const output = count(outputTokens.total);
  if (input === undefined && output === undefined) return undefined;
  const cacheReadTokens = count(inputTokens.cacheRead);
  const cacheWriteTokens = count(inputTokens.cacheWrite);
  const reasoningTokens = count(outputTokens.reasoning);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cacheReadTokens && { cacheReadTokens }),
    ...(cacheWriteTokens && { cacheWriteTokens }),
    ...(reasoningTokens && { reasoningTokens }),
  };
}

function count(tokens: number | undefined): number | undefined {
  return Number.isSafeInteger(tokens) && tokens !== undefined && tokens >= 0 ? tokens : undefined;
}
