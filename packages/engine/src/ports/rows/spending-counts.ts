import type { Spending, SpentOnDay } from '../reads/spending.ts';

/** What slices used of a tenant, or of one of its agents, on a day. */
export interface SpendingCount {
  readonly tenant: string;
  readonly day: number;
  /** Empty in the count of a tenant. */
  readonly agentId: string;
  inputTokens: number;
  outputTokens: number;
  toolCalls: number;
  /** Whole billionths of a US dollar; null while no price was known. */
  nanoUsd: number | null;
}

/** Gathers what slices used: one count for each tenant and day, and one for each of its agents. */
export function spendingCounts() {
  const tenants = new Map<string, SpendingCount>();
  const agents = new Map<string, SpendingCount>();
  return {
    add(spent: SpentOnDay): void {
      addTo(tenants, spent, '', spent);
      for (const part of spent.agents ?? []) addTo(agents, spent, part.agentId, part);
    },
    tenants: () => [...tenants.values()],
    agents: () => [...agents.values()],
    clear(): void {
      tenants.clear();
      agents.clear();
    },
  };
}

const NANO = 1e9;

function addTo(
  counts: Map<string, SpendingCount>,
  { tenant, day }: SpentOnDay,
  agentId: string,
  used: Spending,
): void {
  const name = JSON.stringify([tenant, day, agentId]);
  const none = { tenant, day, agentId, inputTokens: 0, outputTokens: 0, toolCalls: 0, nanoUsd: null };
  const count: SpendingCount = counts.get(name) ?? none;
  count.inputTokens = bounded(count.inputTokens + used.inputTokens);
  count.outputTokens = bounded(count.outputTokens + used.outputTokens);
  count.toolCalls = bounded(count.toolCalls + used.toolCalls);
  if (used.costUsd !== undefined)
    count.nanoUsd = bounded((count.nanoUsd ?? 0) + Math.round(used.costUsd * NANO));
  counts.set(name, count);
}

/** A provider may report any number of tokens. A count that has reached the largest number stays there. */
function bounded(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
