import type { Change, Entry, NodeMoment, NodeTrack, RunTrack, Totals, Tree } from './tree.ts';

/** Questions about a moment of a tree. Each is a search in a sorted list, so it costs the same for any log. */

/** The index of the last number that is not greater than `most`, or -1. */
export function lastUpTo(sorted: readonly number[], most: number): number {
  return lastIndexUpTo(sorted.length, (index) => sorted[index] ?? 0, most);
}

function lastIndexUpTo(length: number, numberAt: (index: number) => number, most: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value of a changing thing at a position. Absent before its first change. */
export function valueAt<Value>(changes: readonly Change<Value>[], position: number): Value | undefined {
  return changes[lastIndexUpTo(changes.length, (index) => changes[index]?.at ?? 0, position)]?.value;
}

export function nodeAt(node: NodeTrack | undefined, position: number): NodeMoment | undefined {
  return node === undefined ? undefined : valueAt(node.moments, position);
}

const NOTHING: Totals = { inputTokens: 0, outputTokens: 0, toolCalls: 0, turns: 0 };

export function totalsAt(tree: Tree, position: number): Totals {
  return valueAt(tree.totals, position) ?? NOTHING;
}

/** The sequence of the last event of a run at a position, or undefined if the run has not begun by then. */
export function sequenceAt(run: RunTrack, position: number): number | undefined {
  const index = lastUpTo(run.positions, position);
  return index < 0 ? undefined : run.firstSequence + index;
}

/** The position of an event of a run. */
export function positionOf(run: RunTrack | undefined, sequence: number): number | undefined {
  return run?.positions[sequence - run.firstSequence];
}

/** How many of the runs had begun at a position. They are in the order of their first events. */
export function begunCount(runs: readonly RunTrack[], position: number): number {
  return lastIndexUpTo(runs.length, (index) => runs[index]?.positions[0] ?? 0, position) + 1;
}

/** The position of the last event that is not later than a time, at least 0. */
export function positionAtTime(entries: readonly Entry[], time: number): number {
  return Math.max(
    0,
    lastIndexUpTo(entries.length, (index) => entries[index]?.time ?? 0, time),
  );
}
