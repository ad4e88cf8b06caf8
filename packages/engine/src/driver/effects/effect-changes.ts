import { isHeld } from '../../kernel/advance.ts';
import { pendingEffects } from '../../kernel/effects.ts';
import { hasEffects } from '../../kernel/rest.ts';
import type { Run } from '../../kernel/run.ts';
import type { Tree, WorkingRun } from '../../kernel/working-run.ts';
import type { EffectRef, SliceEffects } from '../../ports/effect-claims.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * The effects that were intended, settled and released since the last slice of the tree. `moved` are the runs
 * with new events.
 */
export function effectChanges(
  owner: string,
  tree: Tree,
  moved: Iterable<WorkingRun>,
): SliceEffects | undefined {
  const begun: EffectRef[] = [];
  const settled: EffectRef[] = [];
  const released: EffectRef[] = [];
  for (const working of moved) {
    const { base, run } = working;
    // A replay performs effects only to compare outcomes. It does no harm if two hosts do so.
    if (run.fork?.mode === 'replay') continue;
    const { runId } = run;
    const before = base === undefined ? NONE : keysOf(base);
    const after = keysOf(run);
    const added = isHeld(working) ? released : begun;
    for (const key of after) if (!before.has(key)) added.push({ runId, key });
    for (const key of before) if (!after.has(key)) settled.push({ runId, key });
  }
  for (const working of tree.runs.values()) released.push(...waitingInPause(working, tree.world.now));
  if (begun.length + settled.length + released.length === 0) return undefined;
  return { owner, begun, settled, ...(released.length > 0 && { released }) };
}

/** The effects of a paused run that wait for their next try. */
function waitingInPause(working: WorkingRun, now: number): readonly EffectRef[] {
  const { run } = working;
  if (!hasEffects(working) || run.fork?.mode === 'replay' || !isHeld(working)) return [];
  const waiting = pendingEffects(run).filter(({ until = 0 }) => until > now);
  return waiting.map(({ key }) => ({ runId: run.runId, key }));
}

function keysOf(run: Run): ReadonlySet<string> {
  return hasEffects({ run }) ? new Set(pendingEffects(run).map(({ key }) => key)) : NONE;
}
