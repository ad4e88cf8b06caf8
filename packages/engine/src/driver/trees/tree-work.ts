import type { Command, Reply } from '../../commands.ts';
import { advanceTree, isResumed } from '../../kernel/advance.ts';
import { callersTrace } from '../../kernel/callers-trace.ts';
import { effectsToPerform } from '../../kernel/effects.ts';
import { followTree } from '../../kernel/replay/follow.ts';
import { isReplay } from '../../kernel/replay/source.ts';
import { hasEffects, isResting } from '../../kernel/rest.ts';
import { statusOf } from '../../kernel/status.ts';
import type { Tree } from '../../kernel/working-run.ts';
import type { Effect } from '../../ports/effects.ts';
import { spansOfTree } from '../../spans/spans-of-tree.ts';
import type { AwaitedEffects } from '../effects/tree-effects.ts';
import { isSourceWant, supplySource } from '../forks/replay-source.ts';
import type { Outcome } from '../rounds/job.ts';
import { type Share, type WorkContext, worldAt } from '../rounds/work-context.ts';
import { forgetEnded, type LoadedTree, loadTree, lookAtDue } from './loaded-tree.ts';
import { checkRefold } from './refold-check.ts';
import { failForStorage } from './set-aside.ts';
import { takeSlice, wakeOf } from './slice.ts';

/** Loads a tree, advances it until its share is used, and makes a slice of the new events. */

/** How much one slice of a tree may hold. A tree that is the only one at work gets a larger share. */
const SHARE: Share = { events: 256, bytes: 256 * 1024, ms: 4 };
const ALONE: Share = { events: 512, bytes: 512 * 1024, ms: 4 };

export async function treeAt(context: WorkContext, rootId: string): Promise<LoadedTree> {
  const { store, clock, workflows, trees } = context;
  const cached = trees.get(rootId);
  const loaded = cached ?? (await loadTree(store, workflows, rootId, worldAt(context, clock.now())));
  trees.keep(rootId, loaded);
  timeFor(context, loaded);
  return loaded;
}

/** Within a tree, time never goes backwards, even if the clock of the machine does. */
function timeFor(context: WorkContext, loaded: LoadedTree): void {
  const { clock } = context;
  let now = clock.now();
  for (const { run } of loaded.tree.runs.values()) now = Math.max(now, run.at);
  loaded.tree.world = worldAt(context, now);
}

export async function advance(context: WorkContext, { tree }: LoadedTree): Promise<void> {
  const { store, workflows, lookups, meter, alone } = context;
  const share = context.share ?? (alone ? ALONE : SHARE);
  const until = meter.spent() + share.ms;
  // The first step is always taken, so that a tree makes progress even with a very small share.
  let asked = 0;
  const spent = (t: Tree) =>
    asked++ > 0 && (t.events >= share.events || t.bytes >= share.bytes || meter.spent() >= until);
  const go = isReplay(tree) ? followTree : advanceTree;
  while (go(tree, spent) === 'wanting') {
    for (const want of tree.wanted.splice(0)) {
      if (isSourceWant(want)) await supplySource(store, workflows, tree, want);
      else await lookups.find(want);
    }
    // The results of look-ups are forgotten after the slice. So an empty slice still takes the step that
    // asked for them, however long the look-ups took. Otherwise every slice would end with the same look-ups.
    if (tree.events === 0) asked = 0;
  }
}

/** Makes the outcome of a job from the new events of the tree, and removes ended runs from memory. */
export function wrapUp(context: WorkContext, loaded: LoadedTree, reply?: Reply, command?: Command): Outcome {
  const { alwaysRefold, log, replies, trees, traced } = context;
  const { tree } = loaded;
  if (alwaysRefold) checkRefold(tree);
  for (const replaced of tree.replaced.splice(0)) {
    log('warn', 'half of a character was replaced by U+FFFD, since no store can hold it', { ...replaced });
  }
  const unfinished = tree.agenda.length > 0 ? tree.rootId : undefined;
  // Taken before the stored states are moved on.
  const effectsNow = effectsOfTree(tree);
  const spans = traced ? spansOfTree(tree) : undefined;
  const taken = takeSlice(loaded, context);
  const idempotency = reply && command && replies.remember(command, reply, tree.world.now);
  const slice =
    taken || idempotency
      ? { ...(taken ?? { rootId: tree.rootId, runs: [] }), ...(idempotency && { idempotency }) }
      : undefined;
  forgetEnded(loaded);
  if (tree.runs.size === 0) trees.evict(tree.rootId);
  else trees.keep(tree.rootId, loaded);
  const begun = new Set(taken?.effects?.begun.map(({ key }) => key));
  const effects = { rootId: tree.rootId, place: loaded.newestPlace, begun, ...effectsNow };
  return {
    effects,
    ...(reply && { reply }),
    ...(slice && { slice }),
    ...(unfinished && { unfinished }),
    ...(spans && { spans }),
  };
}

function effectsOfTree(tree: Tree): Omit<AwaitedEffects, 'rootId' | 'place' | 'begun'> {
  const awaited: Effect[] = [];
  const paused = new Set<string>();
  const resumed = new Set<string>();
  for (const working of tree.runs.values()) {
    if (!hasEffects(working)) continue;
    const { tenant, runId, fork } = working.run;
    const trace = callersTrace(working.run);
    const marks = {
      ...(fork?.mode === 'replay' && { fresh: true }),
      ...(working.plan.sensitivity && { confidential: true }),
      ...(trace !== undefined && { trace }),
    };
    for (const effect of effectsToPerform(working)) {
      if (isResting(working, effect)) paused.add(effect.key);
      else if (isResumed(working)) resumed.add(effect.key);
      const { nodeId, step } = effect;
      const whole = working.plan.nodes.get(nodeId)?.type.request?.(working, nodeId, step);
      awaited.push({ ...effect, ...(whole !== undefined && { request: whole }), tenant, runId, ...marks });
    }
  }
  return { awaited, paused, resumed };
}

export function statusIn(tree: Tree, runId: string) {
  const working = tree.runs.get(runId);
  return working ? statusOf(working.run, (id) => tree.runs.get(id)?.run) : 'running';
}

export async function continueTree(context: WorkContext, rootId: string): Promise<Outcome> {
  const loaded = await treeAt(context, rootId);
  lookAtDue(loaded.tree);
  if (loaded.tree.agenda.length > 0 && (await isOutOfRoom(context, loaded)))
    return failForStorage(context, rootId);
  await advance(context, loaded);
  const outcome = wrapUp(context, loaded);
  // Without new events, the stored deadline is out of date. Unless it is replaced, the tree is due again and
  // again.
  return outcome.slice
    ? outcome
    : { ...outcome, slice: { rootId, from: loaded.newestPlace, runs: [], wake: wakeOf(loaded) } };
}

/** The effects that the tree waits for, as it is stored. Another host may have moved a tree that is in memory. */
export async function lookAtTree(context: WorkContext, rootId: string): Promise<Outcome> {
  const { store, trees } = context;
  const cached = trees.get(rootId);
  if (cached && (await store.newestPlace(rootId)) !== cached.newestPlace) trees.evict(rootId);
  const { tree, newestPlace: place } = await treeAt(context, rootId);
  if (tree.runs.size === 0) trees.evict(rootId);
  return { effects: { rootId, place, begun: new Set(), ...effectsOfTree(tree) } };
}

async function isOutOfRoom(context: WorkContext, { tree }: LoadedTree): Promise<boolean> {
  const { room } = context;
  const [first] = tree.runs.values();
  return first !== undefined && room.isFull(first.run.tenant);
}
