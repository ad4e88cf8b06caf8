import type { RunUsage } from '@baton/protocol';

/** Sums of tokens, tool calls and costs. */

export const NOTHING_USED: RunUsage = { inputTokens: 0, outputTokens: 0, toolCalls: 0 };

type Used = Omit<RunUsage, 'costUsd'> & { readonly costUsd?: number | undefined };

/** The cost is absent as long as no price is known. */
export function plus(usage: RunUsage | undefined, more: Used): RunUsage {
  const before = usage ?? NOTHING_USED;
  const costUsd = more.costUsd === undefined ? before.costUsd : rounded((before.costUsd ?? 0) + more.costUsd);
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    toolCalls: before.toolCalls + more.toolCalls,
    ...(costUsd !== undefined && { costUsd }),
  };
}

/** Sums of fractions differ in their last digits, so costs have at most ten decimals. */
function rounded(usd: number): number {
  return Math.round(usd * 1e10) / 1e10;
}
