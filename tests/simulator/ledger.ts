import type { Slice, SliceResult } from '@baton/engine';
import { isTerminal, rootRunId } from '@baton/protocol';

/**
 * A second book of what the store has accepted, kept from the slices alone. Each commit is compared with it,
 * so that a slice which should have been refused is noticed when it is stored.
 */
export interface Ledger {
  /** Returns what is wrong with the answers of the store. `alone`: one host writes. */
  enter(
    slices: readonly Slice[],
    results: readonly SliceResult[],
    injected: ReadonlySet<Slice>,
    alone: boolean,
  ): readonly string[];
  /** How many events the run has. */
  head(runId: string): number;
}

export function ledgerOf(): Ledger {
  const heads = new Map<string, number>();
  const places = new Map<string, number>();
  const ended = new Set<string>();

  function problemsOf(slice: Slice): string[] {
    const { rootId, from, runs, wake } = slice;
    const problems: string[] = [];
    const place = places.get(rootId);
    const moves = runs.length > 0 || wake !== undefined;
    if (moves && place !== undefined && from !== place)
      problems.push(`a slice of ${rootId} was stored that goes on from ${from}, and the tree is at ${place}`);
    for (const { runId, expectedHead, events, status } of runs) {
      const head = heads.get(runId);
      if (head !== undefined && head !== expectedHead)
        problems.push(`events of ${runId} were stored from ${expectedHead}, and it has ${head}`);
      if (rootRunId(runId) !== rootId) problems.push(`a slice of ${rootId} changed ${runId}`);
      if (ended.has(runId) && events.length > 0) problems.push(`${runId} went on after its end`);
      heads.set(runId, expectedHead + events.length);
      if (isTerminal(status)) ended.add(runId);
    }
    if (from !== undefined && moves) places.set(rootId, from + eventsIn(slice));
    return problems;
  }

  /** A host that is alone never computes from a state that is past: nobody else moves its trees. */
  function stale({ rootId, from }: Slice): readonly string[] {
    const place = places.get(rootId);
    if (from === undefined || place === undefined || from === place) return [];
    return [`a slice of ${rootId} was computed from ${from}, and the tree was at ${place}`];
  }

  return {
    enter(slices, results, injected, alone) {
      return slices.flatMap((slice, at) => {
        if (results[at] === 'committed') return problemsOf(slice);
        if (typeof results[at] === 'object')
          return [`a slice of ${slice.rootId} was refused: ${JSON.stringify(results[at])}`];
        return alone && !injected.has(slice) ? stale(slice) : [];
      });
    },
    head: (runId) => heads.get(runId) ?? 0,
  };
}

function eventsIn({ runs }: Slice): number {
  return runs.reduce((sum, { events }) => sum + events.length, 0);
}
