import { foldTexts } from '../../../engine/src/fold.ts';
import type { Plan } from '../../../engine/src/kernel/graph/plan.ts';
import { awaitedChildren, isEnded, type Run } from '../../../engine/src/kernel/run.ts';
import type { Tree } from '../../../engine/src/kernel/working-run.ts';

/** A crash and a recovery: everything that is in memory goes, and the tree is folded again from its log. */
export function recover(
  tree: Tree,
  logs: ReadonlyMap<string, readonly unknown[]>,
  planOf: (run: Run) => Plan,
): void {
  const runs = [...logs.values()].map((events) =>
    foldTexts(
      undefined,
      events.map((event) => JSON.stringify(event)),
    ),
  );
  const awaited = new Set(runs.filter((run) => !isEnded(run)).flatMap((run) => [...awaitedChildren(run)]));
  tree.runs.clear();
  tree.asking.clear();
  tree.foreignSeals.clear();
  tree.namedChecksums.clear();
  tree.wanted.length = 0;
  for (const run of runs) {
    if (isEnded(run) && !awaited.has(run.runId)) continue;
    tree.runs.set(run.runId, { tree, plan: planOf(run), base: run, run, texts: [] });
  }
  tree.agenda.splice(0, tree.agenda.length, ...tree.runs.keys());
}
