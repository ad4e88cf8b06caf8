import type { RunUsage } from '@baton/protocol';
import { NOTHING_USED, plus } from '../../kernel/budgets/usage.ts';
import { own } from '../../kernel/graph/own.ts';
import type { Run } from '../../kernel/run.ts';
import type { SpentByAgent, SpentOnDay } from '../../ports/reads/spending.ts';

/** What the tenant of a tree used between the stored states of its runs and their present states. */

const DAY_MS = 86_400_000;

export function spentIn(
  runs: Iterable<{ readonly base: Run | undefined; readonly run: Run }>,
  now: number,
): SpentOnDay | undefined {
  let total: RunUsage | undefined;
  let tenant = '';
  const agents = new Map<string, RunUsage>();
  for (const { base, run } of runs) {
    // A state never changes, so most runs are skipped by this comparison.
    if (run.spent === undefined || run.spent === base?.spent) continue;
    const more = countedIn(run, difference(run.spent, base?.spent ?? NOTHING_USED));
    if (more === undefined) continue;
    total = plus(total, more);
    tenant = run.tenant;
    addAgents(agents, base, run);
  }
  if (total === undefined) return undefined;
  return {
    tenant,
    day: Math.floor(now / DAY_MS),
    ...total,
    ...(agents.size > 0 && { agents: [...agents].map(byAgent) }),
  };
}

function addAgents(agents: Map<string, RunUsage>, base: Run | undefined, run: Run): void {
  for (const [agentId, usage] of Object.entries(run.spentBy ?? {})) {
    const before = own(base?.spentBy, agentId);
    if (usage === before) continue;
    const more = countedIn(run, difference(usage, before ?? NOTHING_USED));
    if (more !== undefined) agents.set(agentId, plus(agents.get(agentId), more));
  }
}

function byAgent([agentId, usage]: readonly [string, RunUsage]): SpentByAgent {
  return { agentId, ...usage };
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
