import type { Run } from '@baton/engine';
import { isTerminal, rootRunId } from '@baton/protocol';
import { nextDeadline } from '../../../packages/engine/src/kernel/deadline.ts';
import { pendingEffects } from '../../../packages/engine/src/kernel/effects.ts';
import { TENANTS } from '../plan.ts';
import { CLOCK_ERROR_MS } from '../postgres/simulated-postgres.ts';
import { GRACE_MS } from '../postgres/simulated-restate.ts';
import type { World } from '../world.ts';
import type { BookedRun } from './booked-run.ts';

/**
 * What must be true when nothing moves, all hosts have been started and no tree is held: every effect of a run
 * that is not paused is under way or waits to be tried again, a tree with work left has such an effect, no
 * deadline has passed, every live tree is stored with the deadline that follows from its log, and every open
 * question is listed. A Restate may be late by its grace, and no host leaves it without an answer.
 */
export async function problemsAtRest(world: World): Promise<readonly string[]> {
  const { store, time } = world;
  const problems: string[] = [];
  for (const { rootId } of await store.unfinished()) {
    if (!hasWorkThatIsDone(world, rootId)) problems.push(`${rootId} has work left, and no host does it`);
  }
  problems.push(...idleEffects(world));
  problems.push(...unkept(world), ...unanswered(world));
  const wake = await store.nextWake();
  if (wake !== undefined && wake <= time.now() - clockError(world) - grace(world))
    problems.push('a deadline has passed, and no host noticed it');
  for (const rootId of new Set(liveRuns(world).map(({ record }) => record.rootId))) {
    const deadline = deadlineOf(world, treeOf(world, rootId));
    if (deadline === undefined) continue;
    const due = await store.due(deadline, 1000);
    if (!due.items.some((tree) => tree.rootId === rootId))
      problems.push(`${rootId} has a deadline at ${deadline}, and it is not stored`);
  }
  return [...problems, ...(await unlistedQuestions(world))];
}

/** The runs that have not ended and that a host of the simulation computes. */
export function liveRuns({ ledger }: World): readonly BookedRun[] {
  return ledger.runs().filter(({ status }) => !isTerminal(status));
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

/** Whether a host performs an effect of the tree, or will try one again. */
function hasWorkThatIsDone(world: World, rootId: string): boolean {
  const keys = world.hosts.flatMap(({ life }) => [...(life?.outside.underWay ?? [])]);
  return (
    keys.some((key) => rootRunId(key.slice(0, key.indexOf('/'))) === rootId) ||
    treeOf(world, rootId).flatMap(pendingEffects).some(triesAgain(world))
  );
}

/** The effects that no host performs or will try again, although their run goes on. */
function idleEffects(world: World): readonly string[] {
  const underWay = new Set(world.hosts.flatMap(({ life }) => [...(life?.outside.underWay ?? [])]));
  const waits = triesAgain(world);
  return liveRuns(world)
    .flatMap(({ state }) => (state && state.fork?.mode !== 'replay' && !isHeld(world, state) ? [state] : []))
    .flatMap(pendingEffects)
    .filter((effect) => !underWay.has(effect.key) && !waits(effect))
    .map(({ key }) => `${key} is awaited, and no host performs it`);
}

/**
 * Whether the effect waits for the time of its next try. A host has set an alarm by then, or the effect is offered, and
 * taken up after its grace at the latest.
 */
function triesAgain(world: World): (effect: { readonly key: string; readonly until?: number }) => boolean {
  const { time, restate, storage } = world;
  const offered = new Set(restate === undefined ? [] : storage.offered());
  const alarm = time.nextAlarm() ?? Number.POSITIVE_INFINITY;
  const error = clockError(world);
  return ({ key, until = 0 }) =>
    offered.has(key)
      ? until > time.now() - error - grace(world)
      : until > time.now() - error && alarm <= until + error;
}

/** By how much the clocks of two hosts may differ. */
function clockError({ postgres }: World): number {
  return postgres === undefined ? 0 : 2 * CLOCK_ERROR_MS;
}

/** How late a deadline or an offer may be that Restate has lost. */
function grace({ restate }: World): number {
  return restate === undefined ? 0 : GRACE_MS;
}

/** The invitations that a host has not answered, although it neither performs the effect nor waits for its time. */
function unanswered(world: World): readonly string[] {
  const waits = triesAgain(world);
  const waiting = new Set(
    liveRuns(world)
      .flatMap(({ state }) => (state ? pendingEffects(state) : []))
      .filter(waits)
      .map(({ key }) => key),
  );
  return world.hosts.flatMap(({ name, life }) =>
    (life === undefined ? [] : (world.restate?.unanswered(life.number) ?? []))
      .filter((key) => !life?.outside.underWay.has(key) && !waiting.has(key))
      .map((key) => `${name} was invited to perform ${key}, does not, and has not answered`),
  );
}

/** The trees with work left or a deadline that no host at work keeps. */
function unkept({ postgres, storage }: World): readonly string[] {
  if (postgres === undefined) return [];
  return storage
    .roots()
    .filter(({ rootId }) => postgres.keeperOf(rootId) === undefined)
    .map(({ rootId }) => `${rootId} has work left or a deadline, and no host at work keeps it`);
}

/** Whether the run or a run above it is paused. */
export function isHeld({ ledger }: Pick<World, 'ledger'>, run: Run | undefined): boolean {
  if (run === undefined) return false;
  const above = run.parent === undefined ? undefined : ledger.run(run.parent.runId)?.state;
  return run.phase.kind === 'paused' || isHeld({ ledger }, above);
}

function treeOf(world: World, rootId: string): readonly Run[] {
  return liveRuns(world).flatMap(({ record, state }) => (record.rootId === rootId && state ? [state] : []));
}

/** The earliest deadline of a tree. A paused run holds everything below it. */
function deadlineOf(world: World, runs: readonly Run[]): number | undefined {
  const deadlines = runs.map((run) => nextDeadline(run, isHeld(world, run)) ?? Number.POSITIVE_INFINITY);
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
