import { rootRunId } from '@baton/protocol';
import type { EffectClaims, ReleasedEffect } from '../../ports/effect-claims.ts';
import type { Effect } from '../../ports/effects.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { beginCall, type EffectCallOptions } from './effect-call.ts';
import { effectOwners, type NotDone, type Ownership, type TreeState } from './effect-owners.ts';
import { effectSlots } from './effect-slots.ts';
import { type AwaitedEffects, decideEffects, type HeldEffect } from './tree-effects.ts';

/** Performs the effects that this host owns, each once at a time, and reports outcomes as commands. */
export interface EffectsUnderWay {
  /** The slice is durable: its effects may begin, and those that are no longer awaited are aborted. */
  follow(effects: AwaitedEffects): void;
  /** The scheduler says that it is time. */
  perform(effect: Effect): void;
  /** The next tries of the run's effects begin now, because the outside may have an outcome. */
  hasten(runId: string): void;
  /** The trees of these runs in which this host has to do with effects, or all such trees. */
  treesOf(runs: readonly { readonly runId: string }[] | 'all'): readonly TreeWithEffects[];
  /** A host was lost. Effects of others may be claimed again: returns their trees, which must be looked at again. */
  ownersLost(): readonly TreeWithEffects[];
  /**
   * No further effect begins. Resolves when the outcomes of those that have begun are reported. Those that have not
   * begun are then released, so that another host can perform them without a doubt.
   */
  drain(): Promise<void>;
  stop(): void;
}

interface TreeWithEffects {
  readonly rootId: string;
  readonly tenant: string;
}

interface EffectsUnderWayOptions extends Pick<EffectCallOptions, 'port' | 'report' | 'onFatal'> {
  readonly store: EffectClaims;
  readonly ownership: Ownership;
  readonly scheduler: Pick<Scheduler, 'perform' | 'withdraw'>;
  /** How many effects of one kind are performed at once. */
  readonly atOnce: number;
  /** Effects of the tree could not be claimed or released. It must be looked at again after this time. */
  readonly lookAgain: (rootId: string, tenant: string, afterMs: number) => void;
}

/** The effects of a tree by their keys, and the state of the tree that they were last compared with. */
interface TreeEffects {
  state: TreeState;
  readonly held: Map<string, HeldEffect>;
}

export function effectsUnderWay(options: EffectsUnderWayOptions): EffectsUnderWay {
  const { scheduler, onFatal } = options;
  const trees = new Map<string, TreeEffects>();
  let stopped = false;
  const calls = { ...options, slots: effectSlots(options.atOnce), isStopped: () => stopped };
  const { claim, release, asksAgain, claimed } = askingStore(options, trees);

  /** The keys of effects that were hastened while a try was under way. Their next try does not wait. */
  const hastened = new Set<string>();
  const own = ownEffects(scheduler, calls, hastened);
  const { take, takeOver, begin, letGo } = own;

  function follow(effects: AwaitedEffects): void {
    const { rootId, place, awaited } = effects;
    const tree = trees.get(rootId) ?? { state: effects, held: new Map<string, HeldEffect>() };
    if (stopped || (tree.held.size === 0 && awaited.length === 0)) return;
    tree.state = { rootId, place };
    if (awaited.length === 0) trees.delete(rootId);
    else trees.set(rootId, tree);
    const decided = decideEffects(tree.held, effects);
    for (const held of decided.letGo) letGo(held);
    if (awaited.length === 0 && hastened.size > 0)
      for (const { effect } of decided.letGo) hastened.delete(effect.key);
    for (const held of decided.take) take(held);
    if (decided.claim.length > 0) claim(tree.state, decided.claim, takeOver).catch(onFatal);
    if (decided.release.length > 0) release(tree.state, decided.release).catch(onFatal);
  }

  return {
    follow,
    hasten: (runId) => hastenEffects(trees.get(rootRunId(runId)), runId, hastened, scheduler),
    perform(effect) {
      const tree = trees.get(rootRunId(effect.runId));
      const held = tree?.held.get(effect.key);
      if (stopped || tree === undefined || held?.effect.tries !== effect.tries) return;
      if (held.stage === 'own') begin(held);
      else if (held.stage === 'waiting') {
        // Another host may have paused the run during the wait.
        held.stage = 'claiming';
        claim(tree.state, [held], begin).catch(onFatal);
      }
    },
    treesOf: (runs) => (trees.size === 0 ? [] : treesWithEffects(trees, runs)),
    ownersLost() {
      asksAgain();
      return [...trees].flatMap(([rootId, { held }]) => {
        const others = [...held.values()].filter(({ stage }) => stage === 'elsewhere');
        for (const { effect } of others) held.delete(effect.key);
        return others.slice(0, 1).map(({ effect }) => ({ rootId, tenant: effect.tenant }));
      });
    },
    async drain() {
      await own.drain();
      // A next try is claimed before it begins. Until then it cannot be said who has it.
      await claimed();
      for (const { state, unbegun } of unbegunIn([...trees.values()]))
        await release(state, unbegun).catch(() => undefined);
    },
    stop() {
      stopped = true;
      for (const { held } of trees.values()) for (const one of held.values()) letGo(one);
      trees.clear();
    },
  };
}

/** Begins and ends the calls of effects that this host owns. */
function ownEffects(
  scheduler: EffectsUnderWayOptions['scheduler'],
  calls: EffectCallOptions,
  hastened: Set<string>,
) {
  const begun = openCalls();
  let draining = false;

  function take(held: HeldEffect): void {
    const { effect } = held;
    held.stage = effect.until === undefined || effect.fresh === true ? 'own' : 'waiting';
    scheduler.perform(effect, hastened.delete(effect.key) ? 0 : (effect.until ?? 0));
  }

  return {
    take,
    /** An effect with a lost owner may have been performed by it. */
    takeOver(held: HeldEffect, hadOwner: boolean): void {
      if (hadOwner) held.effect = { ...held.effect, again: true };
      take(held);
    },
    begin(held: HeldEffect): void {
      held.stage = 'own';
      if (draining) return;
      begun.add(held);
      held.call = beginCall(held.effect, calls, () => {
        held.stage = 'undecided';
        begun.remove(held);
      });
    },
    letGo(held: HeldEffect): void {
      scheduler.withdraw(held.effect);
      held.call?.withdraw();
      begun.remove(held);
    },
    /** No further call begins. Resolves when those that have begun are over. */
    drain(): Promise<void> {
      draining = true;
      return begun.none();
    },
  };
}

const OWNED: ReadonlySet<HeldEffect['stage']> = new Set(['own', 'waiting']);

/** The effects that this host owns and has not begun. */
function unbegunIn(trees: readonly TreeEffects[]) {
  return trees.flatMap(({ state, held }) => {
    const unbegun = [...held.values()].filter(({ stage, call }) => OWNED.has(stage) && call === undefined);
    return unbegun.length === 0 ? [] : [{ state, unbegun }];
  });
}

function treesWithEffects(
  trees: ReadonlyMap<string, TreeEffects>,
  runs: readonly { readonly runId: string }[] | 'all',
): readonly { readonly rootId: string; readonly tenant: string }[] {
  const roots = runs === 'all' ? trees.keys() : new Set(runs.map(({ runId }) => rootRunId(runId)));
  return [...roots].flatMap((rootId) => {
    const [first] = trees.get(rootId)?.held.values() ?? [];
    return first === undefined ? [] : [{ rootId, tenant: first.effect.tenant }];
  });
}

/** Begins the next tries of the run's effects now. A try that is under way is followed by another one at once. */
function hastenEffects(
  tree: TreeEffects | undefined,
  runId: string,
  hastened: Set<string>,
  scheduler: EffectsUnderWayOptions['scheduler'],
): void {
  for (const { effect, stage } of tree?.held.values() ?? []) {
    if (effect.runId !== runId) continue;
    if (stage !== 'waiting') hastened.add(effect.key);
    else {
      scheduler.withdraw(effect);
      scheduler.perform(effect, 0);
    }
  }
}

/** Claims and releases effects, and notes the answers of the store. Without trees, answers have no effect. */
function askingStore(
  { store, ownership, lookAgain }: Pick<EffectsUnderWayOptions, 'store' | 'ownership' | 'lookAgain'>,
  trees: ReadonlyMap<string, TreeEffects>,
) {
  const owners = effectOwners(store, ownership);
  /** How often a host was lost. */
  let losses = 0;

  /** The effects about which nothing else was decided while the store was asked. */
  function unchanged({ rootId }: TreeState, asked: readonly HeldEffect[]): readonly HeldEffect[] {
    const tree = trees.get(rootId);
    return asked.filter((one) => tree?.held.get(one.effect.key) === one);
  }

  function decideLater({ rootId }: TreeState, left: readonly HeldEffect[], why: NotDone): void {
    for (const held of left) held.stage = 'undecided';
    const tenant = left[0]?.effect.tenant;
    if (tenant !== undefined) lookAgain(rootId, tenant, why === 'full' ? FULL_RETRY_MS : 0);
  }

  async function ask(
    state: TreeState,
    wanted: readonly HeldEffect[],
    granted: (held: HeldEffect, hadOwner: boolean) => void,
  ): Promise<void> {
    const lossesBefore = losses;
    const answer = await owners.claim(state, wanted.map(effectOf));
    const left = unchanged(state, wanted);
    if (answer === 'moved' || answer === 'full') return decideLater(state, left, answer);
    const denied: HeldEffect[] = [];
    for (const held of left) {
      const claimed = answer.get(held.effect.key);
      if (claimed) granted(held, claimed.hadOwner);
      else {
        held.stage = 'elsewhere';
        denied.push(held);
      }
    }
    // The host that has them may be the one that was lost while the store was asked.
    if (losses > lossesBefore) decideLater(state, denied, 'moved');
  }

  async function release(state: TreeState, unbegun: readonly HeldEffect[]): Promise<void> {
    const answer = await owners.release(state, unbegun.map(releasedOf));
    const left = unchanged(state, unbegun);
    if (answer !== 'released') return decideLater(state, left, answer);
    for (const { effect } of left) trees.get(state.rootId)?.held.delete(effect.key);
  }

  /** The claims that are not answered. */
  const claims = new Set<Promise<void>>();

  function claim(...asked: Parameters<typeof ask>): Promise<void> {
    const answered = ask(...asked).finally(() => claims.delete(answered));
    claims.add(answered);
    return answered;
  }

  return {
    claim,
    release,
    /** Resolves when all claims are answered. */
    async claimed(): Promise<void> {
      while (claims.size > 0) await Promise.allSettled(claims);
    },
    /** A host was lost: an answer that is under way may no longer hold. */
    asksAgain(): void {
      losses += 1;
    },
  };
}

/** How long a tree waits after the store had no room for the claim of its effects. */
const FULL_RETRY_MS = 1000;

/** A host that was lost may have performed an effect that was taken over from it. */
function releasedOf({ effect: { runId, key, again = false } }: HeldEffect): ReleasedEffect {
  return { runId, key, inDoubt: again };
}

function effectOf({ effect }: HeldEffect): Effect {
  return effect;
}

/** The effects whose outcome is not reported yet. */
function openCalls() {
  const open = new Set<HeldEffect>();
  let waiting: (() => void)[] = [];
  return {
    add: (held: HeldEffect) => void open.add(held),
    remove(held: HeldEffect): void {
      if (!open.delete(held) || open.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    none: () => (open.size === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}
