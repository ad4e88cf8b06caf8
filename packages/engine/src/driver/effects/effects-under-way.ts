import { rootRunId } from '@baton/protocol';
import type { EffectClaims } from '../../ports/effect-claims.ts';
import type { Effect } from '../../ports/effects.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { StorageFullError } from '../../ports/store.ts';
import { beginCall, type EffectCall, type EffectCallOptions } from './effect-call.ts';
import { effectSlots } from './effect-slots.ts';

/** The effects of a tree that its runs wait for, directly after a slice. */
export interface AwaitedEffects {
  readonly rootId: string;
  /** The place of the tree's newest event. */
  readonly place: number;
  readonly awaited: readonly Effect[];
  /** The keys of those that the slice intended. This host owns them. */
  readonly begun: ReadonlySet<string>;
}

/** Nothing in the tree waits for an effect any more. */
export function nothingAwaited(rootId: string): AwaitedEffects {
  return { rootId, place: 0, awaited: [], begun: new Set() };
}

/** Performs the effects that this host owns, each once at a time, and reports outcomes as commands. */
export interface EffectsUnderWay {
  /** The slice is durable: its effects may begin, and those that are no longer awaited are aborted. */
  follow(effects: AwaitedEffects): void;
  /** The scheduler says that it is time. */
  perform(effect: Effect): void;
  /** A host was lost. Effects of others may be claimed again. */
  ownersLost(): void;
  stop(): void;
}

/** The name of this host as an owner of effects, and the owners that are at work. */
export interface Ownership {
  readonly owner: string;
  alive(): readonly string[];
}

interface EffectsUnderWayOptions extends Pick<EffectCallOptions, 'port' | 'report' | 'onFatal'> {
  readonly store: EffectClaims;
  readonly ownership: Ownership;
  readonly scheduler: Pick<Scheduler, 'perform' | 'withdraw'>;
  /** How many effects of one kind are performed at once. */
  readonly atOnce: number;
  /** Effects of the tree could not be claimed. It must be looked at again after this time. */
  readonly lookAgain: (rootId: string, tenant: string, afterMs: number) => void;
}

type Stage =
  /** The store was asked whether this host may have the effect. */
  | 'claiming'
  /** Another host performs it. */
  | 'elsewhere'
  /** It waits for its time, for a slot or for its outcome. */
  | 'own'
  /** Its outcome was reported, but not recorded. */
  | 'reported';

interface Held {
  readonly effect: Effect;
  stage: Stage;
  call?: EffectCall;
}

export function effectsUnderWay(options: EffectsUnderWayOptions): EffectsUnderWay {
  const { scheduler, lookAgain, onFatal } = options;
  const trees = new Map<string, Map<string, Held>>();
  let stopped = false;
  const calls = { ...options, slots: effectSlots(options.atOnce), isStopped: () => stopped };

  function take(held: Held): void {
    held.stage = 'own';
    scheduler.perform(held.effect, held.effect.until ?? 0);
  }

  function letGo({ effect, call }: Held): void {
    scheduler.withdraw(effect);
    call?.withdraw();
  }

  async function claim(effects: AwaitedEffects, wanted: readonly Held[]): Promise<void> {
    const { rootId } = effects;
    const granted = await grantedOf(options, effects, wanted);
    const tree = trees.get(rootId);
    for (const held of wanted) {
      const { key, tenant } = held.effect;
      // The tree may have gone on meanwhile.
      if (stopped || tree?.get(key) !== held) continue;
      if (granted === 'moved' || granted === 'full') {
        tree.delete(key);
        lookAgain(rootId, tenant, granted === 'full' ? FULL_RETRY_MS : 0);
      } else if (granted.has(key)) take(held);
      else held.stage = 'elsewhere';
    }
  }

  function follow(effects: AwaitedEffects): void {
    const { rootId, awaited, begun } = effects;
    const tree = trees.get(rootId) ?? new Map<string, Held>();
    if (stopped || (tree.size === 0 && awaited.length === 0)) return;
    for (const held of takeUnlisted(tree, awaited)) letGo(held);
    if (awaited.length === 0) trees.delete(rootId);
    else trees.set(rootId, tree);
    const unclaimed: Held[] = [];
    for (const effect of awaited) {
      const before = tree.get(effect.key);
      if (before?.effect.tries === effect.tries && before.stage !== 'reported') continue;
      if (before) letGo(before);
      const wasOwn = before?.stage === 'own' || before?.stage === 'reported';
      const isKnown = wasOwn || begun.has(effect.key) || effect.fresh === true;
      const held: Held = { effect: isKnown ? effect : { ...effect, again: true }, stage: 'claiming' };
      tree.set(effect.key, held);
      if (isKnown) take(held);
      else unclaimed.push(held);
    }
    if (unclaimed.length > 0) claim(effects, unclaimed).catch(onFatal);
  }

  return {
    follow,
    perform(effect) {
      const held = trees.get(rootRunId(effect.runId))?.get(effect.key);
      if (stopped || held === undefined || held.effect.tries !== effect.tries) return;
      held.call = beginCall(effect, calls, () => {
        held.stage = 'reported';
      });
    },
    ownersLost() {
      for (const tree of trees.values()) {
        for (const [key, { stage }] of tree) if (stage === 'elsewhere') tree.delete(key);
      }
    },
    stop() {
      stopped = true;
      for (const tree of trees.values()) for (const held of tree.values()) letGo(held);
      trees.clear();
    },
  };
}

/** Removes the effects that are not awaited any more. */
function takeUnlisted(tree: Map<string, Held>, awaited: readonly Effect[]): readonly Held[] {
  const listed = new Set(awaited.map(({ key }) => key));
  const unlisted = [...tree.values()].filter(({ effect }) => !listed.has(effect.key));
  for (const { effect } of unlisted) tree.delete(effect.key);
  return unlisted;
}

/** How long a tree waits after the store had no room for the claim of its effects. */
const FULL_RETRY_MS = 1000;

/** The keys of the effects that this host may perform. */
async function grantedOf(
  { store, ownership }: Pick<EffectsUnderWayOptions, 'store' | 'ownership'>,
  { rootId, place: from }: AwaitedEffects,
  wanted: readonly Held[],
): Promise<ReadonlySet<string> | 'moved' | 'full'> {
  const { owner } = ownership;
  const effects = wanted.map(({ effect: { runId, key } }) => ({ runId, key }));
  try {
    const granted = await store.claimEffects({ owner, alive: ownership.alive(), rootId, from, effects });
    return granted === 'moved' ? granted : new Set(granted);
  } catch (problem) {
    if (problem instanceof StorageFullError) return 'full';
    throw problem;
  }
}
