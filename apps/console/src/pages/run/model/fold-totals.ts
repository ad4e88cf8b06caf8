import type { Entry, Totals, Tree } from './tree.ts';

/** What the tree has used up to each of its events. Every run tells its own use, so nothing is counted twice. */
export function foldTotals(tree: Tree, { event, position }: Entry): void {
  const before: Totals = tree.totals.at(-1)?.value ?? {
    inputTokens: 0,
    outputTokens: 0,
    toolCalls: 0,
    turns: 0,
  };
  const now = (more: Partial<Totals>): void =>
    void tree.totals.push({ at: position, value: { ...before, ...more } });
  switch (event.type) {
    case 'provider.usage': {
      const { inputTokens, outputTokens, costEstimateUsd, cacheHit } = event.payload;
      if (cacheHit === true) return;
      now({
        inputTokens: before.inputTokens + inputTokens,
        outputTokens: before.outputTokens + outputTokens,
        ...(costEstimateUsd !== undefined && { costUsd: (before.costUsd ?? 0) + costEstimateUsd }),
      });
      break;
    }
    case 'agent.toolCalled':
      if (event.payload.made !== false) now({ toolCalls: before.toolCalls + 1 });
      return;
    case 'runOrchestrator.decided':
      now({ turns: before.turns + 1 });
      break;
    default:
  }
}
