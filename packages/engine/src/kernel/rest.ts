import { isHeld } from './advance.ts';
import { nextDeadline } from './deadline.ts';
import type { PendingEffect } from './effect-key.ts';
import { pendingEffects } from './effects.ts';
import { isEnded, type Run } from './run.ts';
import type { WorkingRun } from './working-run.ts';

/**
 * The deadline of a waiting run, and whether it waits for effects. A state of a run never changes, so this is
 * computed once for each state, and not again in every slice of a tree with many waiting runs.
 */
interface Rest {
  readonly deadline: number | undefined;
  readonly deadlineHeld: number | undefined;
  readonly hasEffects: boolean;
}

const known = new WeakMap<Run, Rest>();

const NOTHING: Rest = { deadline: undefined, deadlineHeld: undefined, hasEffects: false };

function restOf(run: Run): Rest {
  if (isEnded(run)) return NOTHING;
  const found = known.get(run);
  if (found !== undefined) return found;
  const made = {
    deadline: nextDeadline(run, false),
    deadlineHeld: nextDeadline(run, true),
    hasEffects: pendingEffects(run).length > 0,
  };
  known.set(run, made);
  return made;
}

export function deadlineOf(working: WorkingRun): number | undefined {
  const rest = restOf(working.run);
  return isHeld(working) ? rest.deadlineHeld : rest.deadline;
}

/**
 * Whether the effect may not begin, because its run is paused. A replay that follows its source repeats the
 * pauses of the source. If the source recorded an outcome during a pause, the replay asks for it then.
 */
export function isResting(working: WorkingRun, effect: PendingEffect): boolean {
  return isHeld(working) && !working.tree.asking.has(effect.key);
}

export function hasEffects({ run }: Pick<WorkingRun, 'run'>): boolean {
  return restOf(run).hasEffects;
}
