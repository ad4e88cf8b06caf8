import type { Effect } from '../../ports/effects.ts';
import type { EffectCall } from './effect-call.ts';
import type { TreeState } from './effect-owners.ts';

/** The effects of a tree that its runs wait for, directly after a slice. */
export interface AwaitedEffects extends TreeState {
  readonly awaited: readonly Effect[];
  /** The keys of those that the slice intended. This host owns them. */
  readonly begun: ReadonlySet<string>;
  /** The keys of those whose run is paused. They go on if they have begun, and do not begin otherwise. */
  readonly paused: ReadonlySet<string>;
  /** The keys of those whose run the slice has resumed. Their owner may have released them during the pause. */
  readonly resumed: ReadonlySet<string>;
}

const NO_KEYS: ReadonlySet<string> = new Set();

/** Nothing in the tree waits for an effect any more. */
export function nothingAwaited(rootId: string): AwaitedEffects {
  return { rootId, place: 0, awaited: [], begun: NO_KEYS, paused: NO_KEYS, resumed: NO_KEYS };
}

type Stage =
  /** The store was asked whether this host may have the effect. */
  | 'claiming'
  /** Another host performs it. */
  | 'elsewhere'
  /** This host owns it, and it waits for the time of its next try. */
  | 'waiting'
  /** This host owns it, and it waits for its turn, for a slot or for its outcome. */
  | 'own'
  /**
   * The next look at the tree decides about it: its outcome was reported, but not recorded, or it is being
   * released, or the store did not answer.
   */
  | 'undecided';

/** One try of an effect, as far as this host has to do with it. */
export interface HeldEffect {
  effect: Effect;
  stage: Stage;
  call?: EffectCall;
}

/** What has to be done, so that the effects of this host are those that the tree waits for. */
interface EffectDecisions {
  /** They are no longer awaited, or not by this host. */
  readonly letGo: readonly HeldEffect[];
  /** This host owns them, and they may begin. */
  readonly take: readonly HeldEffect[];
  /** They may begin if this host can be their owner. */
  readonly claim: readonly HeldEffect[];
  /** Their run is paused and they have not begun. The host that resumes the run performs them. */
  readonly release: readonly HeldEffect[];
}

/** Compares the effects that this host has with those that their tree waits for, and changes `held` to them. */
export function decideEffects(
  held: Map<string, HeldEffect>,
  { awaited, begun, paused, resumed }: AwaitedEffects,
): EffectDecisions {
  const letGo = takeUnlisted(held, awaited);
  const decided = { take: [] as HeldEffect[], claim: [] as HeldEffect[], release: [] as HeldEffect[] };
  for (const effect of awaited) {
    const { key } = effect;
    const before = held.get(key);
    const isPaused = paused.has(key);
    const isOpen = before?.stage === 'undecided' || (before?.stage === 'elsewhere' && resumed.has(key));
    const isDecided = before?.effect.tries === effect.tries && !isOpen;
    if (isDecided && (!isPaused || before.call?.hasBegun() === true)) continue;
    if (before) letGo.push(before);
    held.delete(key);
    // A replay performs effects only to compare outcomes. They have no owner in the store.
    const isFree = effect.fresh === true;
    const isNew = begun.has(key);
    const mayBeOwn = isNew || (before !== undefined && before.stage !== 'elsewhere');
    if (isPaused && (isFree || !mayBeOwn)) continue;
    const next = isPaused ? 'release' : isFree || isNew || before?.stage === 'own' ? 'take' : 'claim';
    const one: HeldEffect = { effect, stage: STAGES[next] };
    held.set(key, one);
    decided[next].push(one);
  }
  return { letGo, ...decided };
}

const STAGES = { take: 'own', claim: 'claiming', release: 'undecided' } as const;

/** Removes the effects that are not awaited any more. */
function takeUnlisted(held: Map<string, HeldEffect>, awaited: readonly Effect[]): HeldEffect[] {
  const listed = new Set(awaited.map(({ key }) => key));
  const unlisted = [...held.values()].filter(({ effect }) => !listed.has(effect.key));
  for (const { effect } of unlisted) held.delete(effect.key);
  return unlisted;
}
