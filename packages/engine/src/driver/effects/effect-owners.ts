import type { ClaimedEffect, EffectClaims, EffectRef, ReleasedEffect } from '../../ports/effect-claims.ts';
import { mayPass } from '../../ports/store.ts';

/** The name of this host as an owner of effects, and the owners that are at work. */
export interface Ownership {
  readonly owner: string;
  alive(): readonly string[];
}

/** A state of a tree: the place of its newest event. */
export interface TreeState {
  readonly rootId: string;
  readonly place: number;
}

/** The store did not do it: the tree is no longer in this state, or the store had no room or could not be reached. */
export type NotDone = 'moved' | 'full';

/** Asks the store for effects in the name of this host, and gives effects up. */
interface EffectOwners {
  /** The effects that this host may perform, by their keys. */
  claim(
    state: TreeState,
    effects: readonly EffectRef[],
  ): Promise<ReadonlyMap<string, ClaimedEffect> | NotDone>;
  release(state: TreeState, effects: readonly ReleasedEffect[]): Promise<'released' | NotDone>;
}

export function effectOwners(store: EffectClaims, { owner, alive }: Ownership): EffectOwners {
  return {
    async claim({ rootId, place: from }, given) {
      const effects = given.map(refOf);
      const granted = await unlessFull(store.claimEffects({ owner, alive: alive(), rootId, from, effects }));
      return typeof granted === 'string' ? granted : new Map(granted.map((one) => [one.key, one]));
    },
    release: ({ rootId, place: from }, given) =>
      unlessFull(store.releaseEffects({ owner, rootId, from, effects: given.map(releasedOf) })),
  };
}

function refOf({ runId, key }: EffectRef): EffectRef {
  return { runId, key };
}

function releasedOf({ runId, key, inDoubt }: ReleasedEffect): ReleasedEffect {
  return { runId, key, ...(inDoubt && { inDoubt }) };
}

async function unlessFull<T>(written: Promise<T>): Promise<T | 'full'> {
  try {
    return await written;
  } catch (problem) {
    if (mayPass(problem)) return 'full';
    throw problem;
  }
}
