import type { RunEvent } from '@baton/client';
import { causesOf } from './causes.ts';
import { foldArrows } from './fold-arrows.ts';
import { foldNodes } from './fold-nodes.ts';
import { foldSpans } from './fold-spans.ts';
import { foldStatus } from './fold-status.ts';
import { foldTotals } from './fold-totals.ts';
import { laneOf, runOf } from './runs.ts';
import { LEAST_SILENCE_MS } from './time-scale.ts';
import type { Entry, Tree } from './tree.ts';

/** Adds the next event of the tree. An event that is there already is left out. */
export function foldEvent(tree: Tree, event: RunEvent): void {
  if (tree.byId.has(event.eventId)) return;
  const position = tree.entries.length;
  const before = tree.entries[position - 1];
  const time = Math.max(before?.time ?? Number.NEGATIVE_INFINITY, Date.parse(event.timestamp));
  if (before !== undefined && time - before.time >= LEAST_SILENCE_MS) {
    tree.silences.push({ after: position - 1, from: before.time, to: time, working: tree.underWay.size > 0 });
  }
  const run = runOf(tree, event, position);
  const causes = causesOf(tree, run, event);
  const entry: Entry = { position, event, time, run, lane: laneOf(tree, run, event), causes };
  tree.entries.push(entry);
  tree.byId.set(event.eventId, position);
  run.positions.push(position);
  for (const cause of causes) {
    const known = tree.effects.get(cause);
    if (known === undefined) tree.effects.set(cause, [position]);
    else known.push(position);
  }
  foldStatus(entry);
  foldNodes(entry);
  foldSpans(tree, entry);
  foldArrows(tree, entry);
  foldTotals(tree, entry);
}
