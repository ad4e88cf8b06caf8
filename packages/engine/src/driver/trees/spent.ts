import type { RunUsage } from '@baton/protocol';
import { NOTHING_USED, plus } from '../../kernel/budgets/usage.ts';
import type { Run } from '../../kernel/run.ts';
import type { SpentOnDay } from '../../ports/reads/spending.ts';

/** What the tenant of a tree used between the stored states of its runs and their present states. */

const DAY_MS = 86_400_000;

export function spentIn(
  runs: Iterable<{ readonly base: Run | undefined; readonly run: Run }>,
  now: number,
): SpentOnDay | undefined {
  let total: RunUsage | undefined;
  let tenant = '';
  for (const { base, run } of runs) {
    // A state never changes, so most runs are skipped by this comparison.
    if (run.spent === undefined || run.spent === base?.spent) continue;
    const more = countedIn(run, difference(run.spent, base?.spent ?? NOTHING_USED));
    if (more === undefined) continue;
    total = plus(total, more);
    tenant = run.tenant;
  }
  return total && { tenant, day: Math.floor(now / DAY_MS), ...total };
}

/**
 * A replay uses nothing, because it repeats recorded outcomes. Only a replay with `models: "live"` asks the models
 * again. It calls no tools.
 */
function countedIn({ fork }: Run, usage: RunUsage): RunUsage | undefined {
  if (fork?.mode !== 'replay') return usage;
  return fork.models === 'live' ? { ...usage, toolCalls: 0 } : undefined;
}

function difference(after: RunUsage, before: RunUsage): RunUsage {
  const { inputTokens, outputTokens, toolCalls, costUsd } = after;
  return {
    inputTokens: inputTokens - before.inputTokens,
    outputTokens: outputTokens - before.outputTokens,
    toolCalls: toolCalls - before.toolCalls,
    ...(costUsd !== undefined && { costUsd: costUsd - (before.costUsd ?? 0) }),
  };
}
