import type { RunUsage } from '@baton/protocol';
import { isEnded } from '../run.ts';
import type { WorkingRun } from '../working-run.ts';

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

/** What all runs of the tree used. What ended runs used is in the usage of their parents. */
export function usageOfTree({ tree }: WorkingRun): RunUsage {
  let total = NOTHING_USED;
  for (const { run } of tree.runs.values()) {
    if (!isEnded(run) && run.usage !== undefined) total = plus(total, run.usage);
  }
  return total;
}
