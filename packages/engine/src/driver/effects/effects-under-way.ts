import { rootRunId, runError } from '@baton/protocol';
import type { EffectOutcomeCommand, EffectProgressCommand } from '../../commands.ts';
import type { EffectClaims } from '../../ports/effect-claims.ts';
import type { Effect, EffectContext, EffectOutcome, Effects } from '../../ports/effects.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { StorageFullError } from '../../ports/store.ts';
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

/** Performs the effects that this host owns, each once at a time, and reports outcomes as commands. */
interface EffectsUnderWay {
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

interface EffectsUnderWayOptions {
  readonly port: Effects;
  readonly store: EffectClaims;
  readonly ownership: Ownership;
  readonly scheduler: Pick<Scheduler, 'perform' | 'withdraw'>;
  /** How many effects of one kind are performed at once. */
  readonly atOnce: number;
  readonly report: (
    command: EffectOutcomeCommand | EffectProgressCommand,
    effect: Effect,
  ) => Promise<unknown>;
  /** Effects of the tree could not be claimed. It must be looked at again after this time. */
  readonly lookAgain: (rootId: string, tenant: string, afterMs: number) => void;
  readonly onFatal: (error: unknown) => void;
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
  abort?: AbortController;
}

export function effectsUnderWay(options: EffectsUnderWayOptions): EffectsUnderWay {
  const { port, store, ownership, scheduler, atOnce, report, lookAgain, onFatal } = options;
  const trees = new Map<string, Map<string, Held>>();
  const slots = effectSlots(atOnce);
  let stopped = false;

  function treeOf(rootId: string): Map<string, Held> {
    const found = trees.get(rootId);
    if (found !== undefined) return found;
    const made = new Map<string, Held>();
    trees.set(rootId, made);
    return made;
  }

  function take(held: Held): void {
    held.stage = 'own';
    scheduler.perform(held.effect, held.effect.until ?? 0);
  }

  function letGo({ effect, abort }: Held): void {
    scheduler.withdraw(effect);
    slots.remove(effect);
    abort?.abort();
  }

  async function claim({ rootId, place }: AwaitedEffects, wanted: readonly Held[]): Promise<void> {
    const { owner } = ownership;
    const effects = wanted.map(({ effect: { runId, key } }) => ({ runId, key }));
    const asked = { owner, alive: ownership.alive(), rootId, from: place, effects };
    const granted = await store.claimEffects(asked).catch(unlessFull);
    const tree = trees.get(rootId);
    for (const held of wanted) {
      const { key, tenant } = held.effect;
      // The tree may have gone on meanwhile.
      if (stopped || tree?.get(key) !== held) continue;
      if (granted === 'moved' || granted === 'full') {
        tree.delete(key);
        lookAgain(rootId, tenant, granted === 'full' ? FULL_RETRY_MS : 0);
      } else if (granted.includes(key)) take(held);
      else held.stage = 'elsewhere';
    }
  }

  function follow(effects: AwaitedEffects): void {
    const { rootId, awaited, begun } = effects;
    const known = trees.get(rootId);
    if (stopped || (known === undefined && awaited.length === 0)) return;
    const tree = known ?? treeOf(rootId);
    const listed = new Set(awaited.map(({ key }) => key));
    for (const [key, held] of tree) {
      if (listed.has(key)) continue;
      tree.delete(key);
      letGo(held);
    }
    const unclaimed: Held[] = [];
    for (const effect of awaited) {
      const before = tree.get(effect.key);
      if (before?.effect.tries === effect.tries && before.stage !== 'reported') continue;
      if (before) letGo(before);
      const held: Held = { effect, stage: 'claiming' };
      tree.set(effect.key, held);
      const wasOwn = before?.stage === 'own' || before?.stage === 'reported';
      if (wasOwn || begun.has(effect.key) || effect.fresh === true) take(held);
      else unclaimed.push(held);
    }
    if (tree.size === 0) trees.delete(rootId);
    if (unclaimed.length > 0) claim(effects, unclaimed).catch(onFatal);
  }

  async function begin(rootId: string, held: Held): Promise<void> {
    const { effect } = held;
    const { key, runId, nodeId, execution, attempt, step, tries } = effect;
    const abort = new AbortController();
    held.abort = abort;
    const named = { key, runId, nodeId, execution, attempt, step, tries };
    const isCurrent = () => !stopped && trees.get(rootId)?.get(key) === held;
    const isTold = effect.fresh !== true && effect.confidential !== true;
    const progress = (chunk: string, isLast = false) => {
      if (isCurrent() && isTold) {
        void report({ kind: 'effect-progress', ...named, chunk, isLast }, effect).catch(onFatal);
      }
    };
    const outcome = await performed(port, effect, { signal: abort.signal, progress });
    slots.remove(effect);
    // A call that was aborted has failed for this reason. An outcome that came all the same is kept.
    if (stopped || (!isCurrent() && outcome.kind === 'failed')) return;
    await report({ kind: 'effect-outcome', ...named, outcome }, effect);
    if (isCurrent()) held.stage = 'reported';
  }

  return {
    follow,
    perform(effect) {
      const rootId = rootRunId(effect.runId);
      const held = trees.get(rootId)?.get(effect.key);
      if (stopped || held === undefined || held.effect.tries !== effect.tries) return;
      slots.add(effect, () => void begin(rootId, held).catch(onFatal));
    },
    ownersLost() {
      for (const [rootId, tree] of trees) {
        for (const [key, { stage }] of tree) if (stage === 'elsewhere') tree.delete(key);
        if (tree.size === 0) trees.delete(rootId);
      }
    },
    stop() {
      stopped = true;
      for (const tree of trees.values()) for (const held of tree.values()) letGo(held);
      trees.clear();
    },
  };
}

/** How long a tree waits after the store had no room for the claim of its effects. */
const FULL_RETRY_MS = 1000;

function unlessFull(problem: unknown): 'full' {
  if (problem instanceof StorageFullError) return 'full';
  throw problem;
}

async function performed(port: Effects, effect: Effect, context: EffectContext): Promise<EffectOutcome> {
  try {
    return await port.perform(effect, context);
  } catch (problem) {
    const message = `The effect could not be performed: ${String(problem)}`;
    return { kind: 'failed', error: runError('capability_not_provided', message) };
  }
}

/** Nothing in the tree waits for an effect any more. */
export function nothingAwaited(rootId: string): AwaitedEffects {
  return { rootId, place: 0, awaited: [], begun: new Set() };
}
