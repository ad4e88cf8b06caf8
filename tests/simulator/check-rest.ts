import { foldStored, type Run } from '@baton/engine';
import { rootRunId } from '@baton/protocol';
import { nextDeadline } from '../../packages/engine/src/kernel/deadline.ts';
import { pendingEffects } from '../../packages/engine/src/kernel/effects.ts';
import type { World } from './world.ts';

/**
 * What must be true when nothing moves and all hosts have been started: a tree with work left has an effect
 * under way, no deadline has passed, and every live tree is stored with the deadline that follows from its
 * log.
 */
export async function problemsAtRest(world: World, rootIds: readonly string[]): Promise<readonly string[]> {
  const { store, time } = world;
  const atWork = treesWithEffects(world);
  const problems: string[] = [];
  for (const { rootId } of await store.unfinished()) {
    if (!atWork.has(rootId)) problems.push(`${rootId} has work left, and no host does it`);
  }
  const wake = await store.nextWake();
  if (wake !== undefined && wake <= time.now())
    problems.push('a deadline has passed, and no host noticed it');
  for (const rootId of rootIds) {
    const deadline = deadlineOf(await liveRuns(world, rootId));
    if (deadline === undefined) continue;
    const due = await store.due(deadline, 1000);
    if (!due.items.some((tree) => tree.rootId === rootId))
      problems.push(`${rootId} has a deadline at ${deadline}, and it is not stored`);
  }
  return problems;
}

/** Whether a live tree waits for something: a person, time, or the outside. */
export async function waitsForSomething(world: World, rootId: string): Promise<boolean> {
  const { time } = world;
  const runs = await liveRuns(world, rootId);
  const soon = time.now() + LONG;
  return runs.some(
    (run) =>
      run.phase.kind === 'paused' ||
      Object.keys(run.interrupts).length > 0 ||
      pendingEffects(run).length > 0 ||
      (nextDeadline(run, false) ?? Number.POSITIVE_INFINITY) < soon,
  );
}

/** Longer than any wait of a generated workflow, and shorter than the limit on the duration of runs. */
const LONG = 24 * 60 * 60 * 1000;

function treesWithEffects({ hosts }: World): ReadonlySet<string> {
  const keys = hosts.flatMap(({ life }) => [...(life?.outside.underWay ?? [])]);
  return new Set(keys.map((key) => rootRunId(key.slice(0, key.indexOf('/')))));
}

async function liveRuns({ store }: World, rootId: string): Promise<readonly Run[]> {
  return (await store.loadTree(rootId)).runs.map(foldStored);
}

/** The earliest deadline of a tree. A paused run holds everything below it. */
function deadlineOf(runs: readonly Run[]): number | undefined {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  const isHeld = (run: Run | undefined): boolean =>
    run !== undefined && (run.phase.kind === 'paused' || isHeld(byId.get(run.parent?.runId ?? '')));
  const deadlines = runs.map((run) => nextDeadline(run, isHeld(run)) ?? Number.POSITIVE_INFINITY);
  const earliest = Math.min(...deadlines);
  return earliest === Number.POSITIVE_INFINITY ? undefined : earliest;
}
