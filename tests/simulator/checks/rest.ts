import type { Run } from '@baton/engine';
import { isTerminal, rootRunId } from '@baton/protocol';
import { nextDeadline } from '../../../packages/engine/src/kernel/deadline.ts';
import { pendingEffects } from '../../../packages/engine/src/kernel/effects.ts';
import { TENANTS } from '../plan.ts';
import type { World } from '../world.ts';
import type { BookedRun } from './booked-run.ts';

/**
 * What must be true when nothing moves, all hosts have been started and no tree is held: a tree with work left
 * has an effect under way or waits to try one again, no deadline has passed, every live tree is stored with the deadline that follows
 * from its log, and every open question is listed.
 */
export async function problemsAtRest(world: World): Promise<readonly string[]> {
  const { store, time } = world;
  const atWork = treesWithEffects(world);
  const problems: string[] = [];
  for (const { rootId } of await store.unfinished()) {
    if (!atWork.has(rootId) && !triesAgainLater(world, rootId))
      problems.push(`${rootId} has work left, and no host does it`);
  }
  const wake = await store.nextWake();
  if (wake !== undefined && wake <= time.now())
    problems.push('a deadline has passed, and no host noticed it');
  for (const rootId of new Set(liveRuns(world).map(({ record }) => record.rootId))) {
    const deadline = deadlineOf(treeOf(world, rootId));
    if (deadline === undefined) continue;
    const due = await store.due(deadline, 1000);
    if (!due.items.some((tree) => tree.rootId === rootId))
      problems.push(`${rootId} has a deadline at ${deadline}, and it is not stored`);
  }
  return [...problems, ...(await unlistedQuestions(world))];
}

/** The runs that have not ended and that a host of the simulation computes. */
export function liveRuns({ ledger }: World): readonly BookedRun[] {
  return ledger.runs().filter(({ record, status }) => !isTerminal(status) && record.imported === undefined);
}

/** Whether a live tree waits for something: a person, time, or the outside. */
export function waitsForSomething(world: World, rootId: string): boolean {
  const soon = world.time.now() + LONG;
  return treeOf(world, rootId).some(
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

/**
 * Whether an effect of the tree waits for its next try: until a run is resumed, or for its time, by which a
 * host has set an alarm.
 */
function triesAgainLater(world: World, rootId: string): boolean {
  const alarm = world.time.nextAlarm() ?? Number.POSITIVE_INFINITY;
  const runs = treeOf(world, rootId);
  const isPaused = runs.some(({ phase }) => phase.kind === 'paused');
  return runs
    .flatMap(pendingEffects)
    .some(({ until }) => until !== undefined && (isPaused || (until > world.time.now() && alarm <= until)));
}

function treeOf(world: World, rootId: string): readonly Run[] {
  return liveRuns(world).flatMap(({ record, state }) => (record.rootId === rootId && state ? [state] : []));
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

async function unlistedQuestions(world: World): Promise<readonly string[]> {
  const pages = await Promise.all(TENANTS.map((tenant) => world.reads.interrupts(tenant, 1000)));
  const listed = new Map<string, number>();
  for (const { runId } of pages.flatMap(({ items }) => items))
    listed.set(runId, (listed.get(runId) ?? 0) + 1);
  const problems: string[] = [];
  for (const { record, state } of liveRuns(world)) {
    const open = Object.keys(state?.interrupts ?? {}).length;
    const shown = listed.get(record.runId) ?? 0;
    listed.delete(record.runId);
    if (open !== shown) problems.push(`${record.runId} asks ${open} questions, and ${shown} are listed`);
  }
  for (const runId of listed.keys()) problems.push(`${runId} has ended, and its questions are listed`);
  return problems;
}
