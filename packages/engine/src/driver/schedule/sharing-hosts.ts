import type { Notice } from '../../commands.ts';
import type { StoreChange } from '../../ports/changes.ts';
import { mayPass, type Store } from '../../ports/store.ts';
import type { EffectsUnderWay } from '../effects/effects-under-way.ts';

/** What an engine has to do with the other hosts that share its store. */
interface SharingHosts {
  /** Makes this host the keeper of a tree, and wakes the tree. */
  take(rootId: string, lane: string): Promise<void>;
  /** For failures of work that is tried again: only those that will not pass are fatal. */
  unlessPassing(problem: unknown): void;
  stop(): void;
}

interface SharingOptions {
  readonly store: Pick<Store, 'takeTree' | 'changes'>;
  readonly wake: (rootId: string, lane: string) => void;
  readonly effects: Pick<EffectsUnderWay, 'treesOf'>;
  readonly tell: (notices: readonly Notice[]) => void;
  readonly onFatal: (error: unknown) => void;
}

export function sharingHosts({ store, wake, effects, tell, onFatal }: SharingOptions): SharingHosts {
  function unlessPassing(problem: unknown): void {
    if (!mayPass(problem)) onFatal(problem);
  }

  /**
   * Another host moved the trees of these runs, or of runs that this host has not heard of. It may have settled effects
   * that this host performs.
   */
  function hear(change: StoreChange): void {
    if (change.kind !== 'moved' && change.kind !== 'missed') return;
    if (change.kind === 'moved') tell(change.runs);
    const moved = change.kind === 'moved' ? change.runs : 'all';
    for (const { rootId, tenant } of effects.treesOf(moved)) wake(rootId, tenant);
  }

  return {
    // The tree may have been taken although the store did not answer, so it is woken in any case.
    take: (rootId, lane) =>
      store
        .takeTree(rootId)
        .catch(unlessPassing)
        .then(() => wake(rootId, lane)),
    unlessPassing,
    stop: store.changes(hear),
  };
}
